// The URIs of the served resources as people see them: without secrets. The URIs of an upstream can
// be many, and a status is read often. So the secrets are hidden once after each change of the
// lists or of the secrets.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "upstream/connection/secrets.h"
#include "upstream/provider/served_offer.h"

namespace host::upstream {

class ShownUris {
 public:
  void update(const std::shared_ptr<const ServedOffer>& served, const Secrets& secrets) {
    if (served_ == served && version_ == secrets.version()) return;
    served_ = served;
    version_ = secrets.version();
    resources_ = shown(served->offer.resources, secrets);
    templates_ = shown(served->offer.templates, secrets);
  }
  const std::vector<std::string>& resources() const { return resources_; }
  const std::vector<std::string>& templates() const { return templates_; }

 private:
  static std::vector<std::string> shown(const std::vector<tool::Resource>& all,
                                        const Secrets& secrets) {
    std::vector<std::string> out;
    out.reserve(all.size());
    for (const tool::Resource& one : all) out.push_back(secrets.hide_in_words(one.uri));
    return out;
  }

  std::shared_ptr<const ServedOffer> served_;  // null: update() was not called yet
  std::uint64_t version_ = 0;                  // Secrets::version() at the last change
  std::vector<std::string> resources_;
  std::vector<std::string> templates_;
};

}  // namespace host::upstream
