// Libraries that an earlier host has tried: their tools are served before their workers are up.
#include "plugin/manifest_cache.h"
#include "unit/plugin/plugin_fixture.h"

namespace host::plugin {
namespace {

class KnownBuild : public PluginTest {
 protected:
  KnownBuild() {
    options_.plugins.manifest_cache = folder_ / "manifests";
    install("one");
    start();
    // Written on another thread, after the library serves.
    run_until(
        [&] { return fs::exists(folder_ / "manifests") && !fs::is_empty(folder_ / "manifests"); });
  }
  void start_again() {
    stop();
    start();
  }
  void stop() {
    await(host_->stop());
    host_.reset();
  }
  ManifestCache::Key key_of(const std::string& hash) const { return {hash, "{}", options_.worker}; }
  ManifestCache cache() const { return *ManifestCache::open(folder_ / "manifests"); }
};

TEST_F(KnownBuild, ServesBeforeItsWorkerIsUp) {
  const std::vector<std::string> tools = status().tools;
  start_again();
  EXPECT_TRUE(status().serving);
  EXPECT_EQ(status().tools, tools);
  EXPECT_EQ(status().pid, 0);
  EXPECT_TRUE(status().layers.empty());
  EXPECT_EQ(text("version"), "one");  // its first call starts it
  EXPECT_GT(status().pid, 0);
  EXPECT_FALSE(status().layers.empty());
  EXPECT_EQ(status().restarts, 0u);
}

TEST_F(KnownBuild, IsStartedThoughNobodyCalls) {
  start_again();
  EXPECT_TRUE(run_until([&] { return status().pid > 0; }));
}

TEST_F(KnownBuild, ThatNeverCameUpIsRetiredAllTheSame) {
  start_again();
  stop();
  EXPECT_FALSE(catalog_.snapshot()->find("version"));
  start();
  ASSERT_TRUE(run_until([&] { return status().pid > 0; }));  // coming up
  stop();
  EXPECT_FALSE(catalog_.snapshot()->find("version"));
}

TEST_F(KnownBuild, IsTriedWhereItsBytesChangedMeanwhile) {
  await(host_->stop());
  host_.reset();
  install("two");
  start();
  EXPECT_GT(status().pid, 0);
  EXPECT_EQ(text("version"), "two");
}

TEST_F(KnownBuild, ThatIsNotWhatItWasFoundToBeIsTriedAgain) {
  const std::string hash = status().hash;
  const std::vector<std::string> tools = status().tools;
  install("faults", "other");
  await(host_->reload());
  const std::string other = status("other").hash;
  ASSERT_TRUE(run_until([&] { return cache().find(key_of(other)).has_value(); }));
  fs::remove(installed("other"));
  cache().keep(key_of(hash), *cache().find(key_of(other)));
  start_again();
  EXPECT_NE(status().tools, tools);
  EXPECT_TRUE(run_until([&] { return status().serving && status().tools == tools; }));
  EXPECT_EQ(text("version"), "one");
  EXPECT_TRUE(run_until([&] { return cache().find(key_of(hash)) != cache().find(key_of(other)); }));
}

TEST_F(KnownBuild, OfABadFolderIsTriedAtEachStart) {
  stop();
  fs::permissions(folder_ / "manifests", fs::perms::others_write, fs::perm_options::add);
  start();
  EXPECT_GT(status().pid, 0);
}

}  // namespace
}  // namespace host::plugin
