// Libraries that an earlier host has tried: their tools are served before their workers are up.
#include <boost/asio/steady_timer.hpp>

#include <map>
#include <thread>

#include "plugin/file/known_library.h"
#include "plugin/file/manifest_cache.h"
#include "support/places.h"
#include "unit/plugin/plugin_fixture.h"

namespace host::plugin {
namespace {

class KnownBuild : public PluginTest {
 protected:
  KnownBuild() {
    options_.plugins.manifest_cache = folder_ / "manifests";
    catalog_.on_change([this](const tool::Changes&) { note_listed(); });
    install("one");
    start();
    // Written on another thread, after the library serves.
    run_until(
        [&] { return fs::exists(folder_ / "manifests") && !fs::is_empty(folder_ / "manifests"); });
  }
  ~KnownBuild() override {  // what stops is a change too, and told to this
    stop();
  }
  void start_again() {
    stop();
    when_listed_.clear();
    start();
  }
  ManifestCache::Key key_of(const std::string& hash) const { return {hash, "{}", options_.worker}; }
  ManifestCache cache() const { return *ManifestCache::open(folder_ / "manifests"); }
  // Stores the description of another library as that of zoo. Returns the other library's hash.
  std::string describe_as_another() {
    install("faults", "other");
    await(host_->reload());
    const std::string other = status("other").hash;
    EXPECT_NE(other, "");
    EXPECT_TRUE(run_until([&] { return cache().find(key_of(other)).has_value(); }));
    fs::remove(installed("other"));
    cache().keep(key_of(status().hash), *cache().find(key_of(other)));
    return other;
  }

  std::map<std::string, PluginStatus> when_listed_;  // by plugin, since the last start

 private:
  void note_listed() {
    for (const tool::Entry& entry : catalog_.snapshot()->entries()) {
      const std::string name = entry.provider->name();
      when_listed_.try_emplace(name, status(name));
    }
  }
};

TEST_F(KnownBuild, ServesBeforeItsWorkerIsUp) {
  const std::vector<std::string> tools = status().tools;
  start_again();
  EXPECT_TRUE(status().serving);
  EXPECT_EQ(status().tools, tools);
  EXPECT_EQ(when_listed_.at("zoo").pid, 0);
  EXPECT_TRUE(when_listed_.at("zoo").layers.empty());
  EXPECT_EQ(text("version"), "one");  // its first call starts it
  EXPECT_GT(status().pid, 0);
  EXPECT_FALSE(status().layers.empty());
  EXPECT_EQ(status().restarts, 0u);
}

TEST_F(KnownBuild, IsStartedThoughNobodyCalls) {
  start_again();
  EXPECT_TRUE(run_until([&] { return status().pid > 0; }));
}

TEST_F(KnownBuild, HasOneWorkerWhereItsTimeAndACallComeInOneTurn) {
  start_again();
  std::optional<Running> called;
  boost::asio::steady_timer call(io_, 0ms);
  call.async_wait([&](boost::system::error_code) { called = begin("version"); });
  std::this_thread::sleep_for(100ms);  // both are due when the loop looks again, the call first
  ASSERT_TRUE(run_until([&] { return called && called->done(); }));
  EXPECT_EQ(status().restarts, 0u);
  called.reset();
  stop();
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
  stop();
  install("two");
  start();
  EXPECT_GT(status().pid, 0);
  EXPECT_EQ(text("version"), "two");
}

TEST_F(KnownBuild, ThatIsNotWhatItWasFoundToBeIsTriedAgain) {
  const std::string hash = status().hash;
  const std::vector<std::string> tools = status().tools;
  const std::string other = describe_as_another();
  start_again();
  EXPECT_NE(status().tools, tools);
  EXPECT_TRUE(run_until([&] { return status().serving && status().tools == tools; }));
  EXPECT_EQ(text("version"), "one");
  EXPECT_TRUE(run_until([&] { return cache().find(key_of(hash)) != cache().find(key_of(other)); }));
}

TEST_F(KnownBuild, ThatIsNotWhatItWasFoundToBeCountsNoCrashesOfItsWorkers) {
  const std::vector<std::string> tools = status().tools;
  describe_as_another();
  settings().workers = 6;
  start_again();
  EXPECT_TRUE(run_until([&] { return status().serving && status().tools == tools; }));
  EXPECT_EQ(text("version"), "one");
  EXPECT_EQ(status().crashes, 0u);
}

TEST_F(KnownBuild, ThatIsNotWhatItWasFoundToBeIsTriedAgainThoughItsPublicationWaitsForAnother) {
  const std::vector<std::string> tools = status().tools;
  describe_as_another();
  install("starts_slowly", "zz");
  start_again();
  EXPECT_TRUE(run_until([&] { return status().serving && status().tools == tools; }));
  EXPECT_EQ(status().version, "one");
}

TEST_F(KnownBuild, ThatAnnouncesWhileItStartsSlowlyIsHeardLaterToo) {
  install("announces_slowly");
  await(host_->reload());
  const std::string hash = status().hash;
  ASSERT_TRUE(run_until([&] { return cache().find(key_of(hash)).has_value(); }));
  start_again();
  ASSERT_TRUE(run_until([&] { return status().pid > 0; }));
  EXPECT_TRUE(run_until([&] { return !catalog_.snapshot()->find("fail"); }));
  EXPECT_EQ(text("version"), "one");
  EXPECT_TRUE(run_until([&] { return catalog_.snapshot()->find("fail") != nullptr; }, 5s));
}

// Not with clock: the library that knows its time zones frees them never, as LeakSanitizer says.
TEST_F(KnownBuild, ThatIsLoadedAtTheStartIsAskedWhatItOffers) {
  install_file(places::build() / "tests/plugins/escape.so", "escape");
  await(host_->reload());
  const ManifestCache::Key key = key_of(status("escape").hash);
  ASSERT_TRUE(run_until([&] { return cache().find(key).has_value(); }));
  KnownLibrary known = *unpack(*cache().find(key));
  known.resources = R"({"resourceTemplates":[{"uriTemplate":"old://{+x}","name":"old"}]})";
  cache().keep(key, pack(known));
  settings("escape").isolation = config::Isolation::Inline;
  start_again();
  const auto offers = [this](const std::string& pattern) {
    return catalog_.snapshot()->offers().template_of(pattern) != nullptr;
  };
  EXPECT_FALSE(offers("old://{+x}"));
  EXPECT_TRUE(offers("escape://{what}"));
}

TEST_F(KnownBuild, OfABadFolderIsTriedAtEachStart) {
  stop();
  fs::permissions(folder_ / "manifests", fs::perms::others_write, fs::perm_options::add);
  start();
  EXPECT_GT(status().pid, 0);
}

// Of libraries that offer more than tools.
class KnownOffers : public KnownBuild {
 protected:
  KnownOffers() {
    install_file(places::build() / "plugins/clock.so", "clock");
    await(host_->reload());
    hash_ = status("clock").hash;
    run_until([&] { return cache().find(key_of(hash_)).has_value(); });
  }
  bool offers(const std::string& pattern) {
    return catalog_.snapshot()->offers().template_of(pattern) != nullptr;
  }
  KnownLibrary kept() const { return *unpack(*cache().find(key_of(hash_))); }
  void forge(const std::string& resources) {
    KnownLibrary known = kept();
    known.resources = resources;
    cache().keep(key_of(hash_), pack(known));
  }

  static constexpr const char* kOwn = "time://{+zone}";
  std::string hash_;
};

TEST_F(KnownOffers, AreThereBeforeTheWorkerIsUp) {
  start_again();
  EXPECT_EQ(when_listed_.at("clock").pid, 0);
  EXPECT_TRUE(offers(kOwn));
  ASSERT_TRUE(run_until([&] { return status("clock").pid > 0; }));
  run_for(100ms);
  EXPECT_TRUE(offers(kOwn));
}

TEST_F(KnownOffers, LastNoLongerThanUntilTheWorkerSaysOtherwise) {
  forge(R"({"resourceTemplates":[{"uriTemplate":"old://{+x}","name":"old"}]})");
  start_again();
  EXPECT_TRUE(offers("old://{+x}"));
  EXPECT_TRUE(run_until([&] { return !offers("old://{+x}") && offers(kOwn); }));
  EXPECT_TRUE(run_until([&] { return kept().resources.find("old") == std::string::npos; }));
  EXPECT_EQ(status("clock").history.size(), 1u);  // it was not tried again for that
}

// Its worker is up before it is published.
TEST_F(KnownOffers, LastNoLongerThoughTheirPublicationWaitsForAnother) {
  forge(R"({"resourceTemplates":[{"uriTemplate":"old://{+x}","name":"old"}]})");
  install("starts_slowly", "late");
  start_again();
  EXPECT_GT(when_listed_.at("clock").pid, 0);
  EXPECT_TRUE(run_until([&] { return !offers("old://{+x}") && offers(kOwn); }));
  EXPECT_TRUE(run_until([&] { return kept().resources.find("old") == std::string::npos; }));
}

TEST_F(KnownOffers, ThatCannotBeReadAreAskedForAtTheStart) {
  forge(R"({"resourceTemplates":[{"name":"without a template"}]})");
  start_again();
  EXPECT_GT(status("clock").pid, 0);
  EXPECT_TRUE(offers(kOwn));
}

TEST(KnownLibrary, IsReadBackWholeOrNotAtAll) {
  const std::string text = pack({"a manifest", "", "12 prompts"});
  const auto known = unpack(text);
  ASSERT_TRUE(known);
  EXPECT_EQ(known->manifest, "a manifest");
  EXPECT_EQ(known->resources, "");
  EXPECT_EQ(known->prompts, "12 prompts");
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(unpack(text.substr(0, size))) << size;
  EXPECT_FALSE(unpack(text + " "));
  EXPECT_FALSE(unpack("library/199999999999999999999 x"));
  EXPECT_FALSE(unpack("library/1-1 x0 0 "));
}

}  // namespace
}  // namespace host::plugin
