#include "base/loop_end.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace host {
namespace {

namespace asio = boost::asio;

// An object that owns a callback that owns the object.
struct Ring {
  explicit Ring(const asio::any_io_executor& loop)
      : end(loop, [this] { const auto last = std::exchange(callback, nullptr); }) {}
  std::function<void()> callback;
  LoopEnd end;
};

TEST(LoopEnd, ReleasesEachRingOfOwnersThatTheLoopLeaves) {
  std::optional<asio::io_context> loop(std::in_place, 1);
  std::weak_ptr<Ring> rings[3];
  for (auto& one : rings) {
    const auto ring = std::make_shared<Ring>(loop->get_executor());
    ring->callback = [ring] {};
    one = ring;
  }
  loop.reset();
  for (const auto& one : rings) EXPECT_TRUE(one.expired());
}

TEST(LoopEnd, MayDestroyAnotherOneOfTheSameLoop) {
  std::optional<asio::io_context> loop(std::in_place, 1);
  int acts = 0;
  std::shared_ptr<LoopEnd> ends[2];
  for (int i = 0; i < 2; ++i) {
    ends[i] = std::make_shared<LoopEnd>(loop->get_executor(), [&acts, other = &ends[1 - i]] {
      ++acts;
      other->reset();
    });
  }
  loop.reset();
  EXPECT_EQ(acts, 1);
}

TEST(LoopEnd, DoesNothingIfItIsDestroyedBeforeTheLoop) {
  std::optional<asio::io_context> loop(std::in_place, 1);
  bool acted = false;
  {
    const LoopEnd end(loop->get_executor(), [&acted] { acted = true; });
  }
  loop.reset();
  EXPECT_FALSE(acted);
}

}  // namespace
}  // namespace host
