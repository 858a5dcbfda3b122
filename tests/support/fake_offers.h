// The resources and prompts of a test's provider. Calls of them pass through the real code of the
// host.
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

  // The provider has these offers: the resources note:1 and note:2; the template note:day/{day},
  // whose day "none" does not exist; the prompt greet{name, tone?} with completion; the prompt ask
  // and the resource note:ask, which ask the user for a name.
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
