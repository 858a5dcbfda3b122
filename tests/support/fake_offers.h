// What a test's providers offer beside tools, served over the real road to them.
#pragma once

#include <memory>
#include <string>

#include "mcp/peer/services.h"
#include "support/fake_provider.h"
#include "support/run_loop.h"
#include "tool/provider/catalog.h"

namespace host::test {

tool::CallResult structured(std::string text);

class FakeOffers final : public mcp::OfferService {
 public:
  explicit FakeOffers(RunLoop& loop);
  ~FakeOffers() override;

  // note:1 and note:2, the family note:day/{day}, whose day "none" does not exist; the prompt
  // greet{name, tone?}, which completes; the prompt ask and the resource note:ask, which ask the
  // person for a name.
  std::shared_ptr<FakeProvider> provider;
  tool::Catalog catalog;

  void publish() { catalog.set("fake", provider); }

  std::shared_ptr<const tool::Offers> list(const tool::Peer&) const override;
  boost::asio::awaitable<Result<tool::CallResult>> call(tool::Call& call) override;

 private:
  struct Road;
  std::unique_ptr<Road> road_;
};

}  // namespace host::test
