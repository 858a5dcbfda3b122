// A load that ends by an exception, whatever threw it, is a build that was refused: nothing waits
// for it, and it is tried again.
#include <memory>
#include <stdexcept>

#include "unit/plugin/plugin_fixture.h"

namespace host::plugin {
namespace {

class BrokenLoad : public PluginTest {
 protected:
  // Whoever listens to the catalog throws as long as this is set: in the middle of a publication.
  BrokenLoad() {
    catalog_.on_change([throws = throws_](const tool::Changes&) {
      if (*throws) throw std::runtime_error("no room left");
    });
    look_only_when_asked();
  }
  void expect_refused(const std::string& plugin = "zoo") {
    EXPECT_EQ(status(plugin).state, State::Rejected) << plugin;
    EXPECT_NE(status(plugin).last_error.find("internal error"), std::string::npos)
        << status(plugin).last_error;
  }

  const std::shared_ptr<bool> throws_ = std::make_shared<bool>(true);
};

TEST_F(BrokenLoad, IsRefusedAndTriedAgainAtTheNextLook) {
  install("one");
  start();
  expect_refused();
  *throws_ = false;
  await(host_->reload());
  EXPECT_EQ(status().state, State::Active) << status().last_error;
  EXPECT_EQ(text("version"), "one");
}

TEST_F(BrokenLoad, OfANewBuildIsTriedAgainToo) {
  *throws_ = false;
  install("one");
  start();
  *throws_ = true;
  install("announces");
  await(host_->reload());
  expect_refused();
  *throws_ = false;
  await(host_->reload());
  EXPECT_EQ(status().state, State::Active) << status().last_error;
  EXPECT_GT(status().generation, 1u);
}

// What waits for it in the same publication is refused with it, and never takes it for a success.
TEST_F(BrokenLoad, LeavesNoOtherOfItsBatchLoading) {
  install("one");
  install_file(places::build() / "tests/plugins/escape.so", "escape");
  start();
  EXPECT_EQ(status("zoo").state, State::Rejected) << status("zoo").last_error;
  EXPECT_EQ(status("escape").state, State::Rejected) << status("escape").last_error;
  *throws_ = false;
  await(host_->reload());
  EXPECT_EQ(status("zoo").state, State::Active) << status("zoo").last_error;
  EXPECT_EQ(status("escape").state, State::Active) << status("escape").last_error;
}

// A stop waits for looks that are not handled, until the drain timeout.
TEST_F(BrokenLoad, DoesNotDelayTheHostsEnd) {
  options_.plugins.drain_timeout = 1h;
  install("one");
  start();
  expect_refused();
  *throws_ = false;
  stop();
}

}  // namespace
}  // namespace host::plugin
