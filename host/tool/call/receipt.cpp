#include "tool/call/receipt.h"

#include <exception>
#include <utility>

#include "base/log.h"

namespace host::tool {

boost::asio::awaitable<Result<void>> spend(Receipts& receipts) {
  for (const std::unique_ptr<Receipt>& one : receipts) {
    auto spent = co_await one->spend();
    if (!spent) co_return spent;
  }
  co_return Result<void>();
}

boost::asio::awaitable<void> give_back(Receipts& receipts) {
  Receipts left = std::exchange(receipts, {});
  while (!left.empty()) {
    const std::unique_ptr<Receipt> last = std::move(left.back());
    left.pop_back();
    try {
      co_await last->give_back();
    } catch (const std::exception& fault) {
      log::error("tool", "what a refused call had found stays used", {{"what", fault.what()}});
    }
  }
}

}  // namespace host::tool
