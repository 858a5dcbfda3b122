// A receipt stands for something that a call uses up when it runs: an approval, a one-time code, or
// answers of a client.
//
// The checks of the call pipeline find receipts and give them to the call. A call spends (uses up)
// its receipts when its provider starts the call. If the call is refused before its provider
// starts, the call's receipts are given back, and a later call can use them. Receipts are used on
// the I/O thread only.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <vector>

#include "base/result.h"

namespace host::tool {

// A receipt that is destroyed unspent releases its reservation in memory, and another call can then
// use the approval, code or answers.
class Receipt {
 public:
  virtual ~Receipt() = default;

  // Spends the receipt because the call is about to run. The Error Denied means that another
  // process has already used up the approval, code or answers. If spend() returns an Error, the
  // call must not run. A second spend(), of a call that runs once more, does nothing.
  virtual boost::asio::awaitable<Result<void>> spend() = 0;
  // Makes the receipt available to later calls again, because its call did not run. If the provider
  // refused to start the call, give_back() can follow spend().
  virtual boost::asio::awaitable<void> give_back() = 0;
};

using Receipts = std::vector<std::unique_ptr<Receipt>>;

// Spends (uses up) each receipt, in the order of `receipts`. After an error, spend() does not spend
// the remaining receipts.
boost::asio::awaitable<Result<void>> spend(Receipts& receipts);
// Gives the receipts back, starting with the last receipt, and clears the vector.
boost::asio::awaitable<void> give_back(Receipts& receipts);

}  // namespace host::tool
