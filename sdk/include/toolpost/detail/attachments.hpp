// Files that were given along with a call (tp.attachments/1).
//
//   std::string summarize(toolpost::Context& call) {
//     std::string told;
//     for (const toolpost::Attachment& file : call.attachments().list())
//       told += file.name + ": " + first_line(call.attachments().read(file)) + "\n";
//     return told;
//   }
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "toolpost/detail/fields.hpp"
#include "toolpost/detail/reply.hpp"
#include "toolpost/ext/attachments.h"

namespace toolpost {
inline namespace v1 {

struct Attachment {
  std::string id;
  std::string name;          // as its giver calls it: no path to be trusted
  std::string content_type;  // as its giver says
  std::uint64_t bytes;
  TOOLPOST_FIELDS(Attachment, TOOLPOST_FIELD(id), TOOLPOST_FIELD(name),
                  TOOLPOST_FIELD(content_type), TOOLPOST_FIELD(bytes))
};

// A small value, as good as the Context that it came from. Functions wait; they throw ServiceError,
// and Cancelled where the call is over. Any thread that may wait.
class Attachments {
 public:
  static constexpr std::uint64_t kMostAtOnce = 64u << 20u;

  Attachments(const tp_attachments_api* api, tp_host* host, const tp_call* call)
      : api_(api), host_(host), call_(call) {}

  std::vector<Attachment> list() const {
    const auto answer = detail::wait_for_good([this](const tp_reply* reply) -> tp_status {
      return api_ == nullptr ? TP_E_UNSUPPORTED : api_->list(host_, call_, reply);
    });
    std::vector<Attachment> files;
    detail::Reader in(answer.json, "list");
    detail::Codec<std::vector<Attachment>>::read(in, files);
    return files;
  }

  // At most TP_ATTACHMENT_PIECE bytes from `offset`; empty: the file ends there.
  std::string read(std::string_view id, std::uint64_t offset, std::uint32_t most) const {
    return detail::wait_for_good([&](const tp_reply* reply) -> tp_status {
             if (api_ == nullptr) return TP_E_UNSUPPORTED;
             return api_->read(host_, call_, {id.data(), id.size()}, offset, most, reply);
           })
        .bytes;
  }

  // The whole file. An Error where it is longer than `most`.
  std::string read(const Attachment& file, std::uint64_t most = kMostAtOnce) const {
    std::string all;
    for (;;) {
      const std::string piece = read(file.id, all.size(), TP_ATTACHMENT_PIECE);
      if (piece.empty()) return all;
      if (all.size() + piece.size() > most)
        throw Error("the attachment " + file.name + " is longer than " + std::to_string(most) +
                    " bytes");
      all += piece;
    }
  }

 private:
  const tp_attachments_api* api_;
  tp_host* host_;
  const tp_call* call_;
};

}  // namespace v1
}  // namespace toolpost
