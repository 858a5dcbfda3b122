// The files of clients, from their upload until they have expired.
#include "file/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "base/digest.h"
#include "file/download.h"
#include "support/manual_clock.h"
#include "support/passports.h"
#include "support/run_loop.h"
#include "support/run_until.h"
#include "support/small_disk.h"

namespace host::file {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using namespace std::chrono_literals;

std::size_t entries_of(const fs::path& folder) {
  std::error_code ignored;
  fs::directory_iterator entries(folder, ignored);
  return static_cast<std::size_t>(std::distance(fs::begin(entries), fs::end(entries)));
}

class FilesTest : public ::testing::Test {
 protected:
  FilesTest() {
    const auto open = [this]() -> Result<std::unique_ptr<store::Store>> {
      if (failures_-- > 0) return Error{ErrorKind::Io, "the disk does not answer"};
      return store::open_sqlite_store(place_ / "toolpost.db", clock_);
    };
    desk_ = std::make_shared<store::Desk>(loop_.io.get_executor(), open);
    settings_.folder = place_ / "files";
    settings_.keep = 1h;
  }
  ~FilesTest() override {
    desk_->stop();
    loop_.drain();
    desk_.reset();
    fs::remove_all(place_);
  }

  static fs::path fresh_place() {
    std::string name = (fs::temp_directory_path() / "files-test-XXXXXX").string();
    return ::mkdtemp(name.data());
  }

  std::shared_ptr<Files> files() {
    return std::make_shared<Files>(loop_.io.get_executor(), desk_, clock_, settings_);
  }
  // Starts the files of a host, which first removes what has expired, and stops them again.
  bool sweeps_until(const std::function<bool()>& is_met) {
    const auto swept = files();
    const auto started = loop_.start(swept->start());
    const bool met = test::run_until(loop_.io, [&] { return *started && is_met(); });
    EXPECT_TRUE(*started && **started);
    swept->stop();
    return met;
  }
  void upload(const std::string& id, const std::string& text = {}) {
    Grant grant;
    grant.id = id;
    grant.principal = "anna";
    const auto upload = std::get<std::shared_ptr<Upload>>(files()->begin(grant, text.size()));
    if (!text.empty()) {
      EXPECT_FALSE(loop_.get(upload->write(text)));
    }
    const auto finished = loop_.get(upload->finish());
    EXPECT_TRUE(std::holds_alternative<store::FileRecord>(finished));
  }
  static tool::Call call_with(const std::string& id) {
    tool::Attachment attached;
    attached.id = id;
    tool::Call call;
    call.passport = tool::with_attachments(*test::passport("c", "anna"), {attached});
    return call;
  }
  bool refuses(Files& host, tool::Call& call) {
    const auto opened = loop_.get(host.open_attached(call));
    return opened && *opened && (*opened)->is_error &&
           call.passport->given->attachments.front().file == nullptr;
  }
  std::uint64_t stored() {
    store::Desk::Act<std::uint64_t> ask = [](store::Store& store) -> Result<std::uint64_t> {
      HOST_TRY_ASSIGN(const store::FileUsage used, store.files().usage("anna"));
      return used.files;
    };
    return desk_->ask_and_wait<std::uint64_t>(ask).value();
  }

  const fs::path place_ = fresh_place();
  test::RunLoop loop_;
  test::ManualClock clock_;
  std::atomic<int> failures_ = 0;  // the store cannot be opened so many times
  std::shared_ptr<store::Desk> desk_;
  Files::Settings settings_;
};

TEST_F(FilesTest, AnExpiredFileGoesWithItsRow) {
  upload("a");
  clock_.advance(30min);
  upload("b");
  EXPECT_EQ(entries_of(settings_.folder), 2u);
  clock_.advance(30min);
  EXPECT_TRUE(sweeps_until([this] { return entries_of(settings_.folder) == 1; }));
  EXPECT_TRUE(fs::exists(settings_.folder / "b"));
  EXPECT_EQ(stored(), 1u);
}

// Nothing else may make room on it.
TEST_F(FilesTest, ExpiredFilesGoAlsoFromAFullDisk) {
  ASSERT_TRUE(sweeps_until([] { return true; }));  // the first start writes the signing key
  upload("a");
  clock_.advance(1h);
  {
    const test::SmallDisk full(4096);
    EXPECT_TRUE(sweeps_until([this] { return entries_of(settings_.folder) == 0; }));
    EXPECT_EQ(stored(), 1u);
  }
  EXPECT_TRUE(sweeps_until([this] { return stored() == 0; }));
}

// Calls that wait hold no descriptors: these would be used up soon.
TEST_F(FilesTest, AnAttachedFileIsOpenOnlyWhileItsCallRuns) {
  upload("a", "first");
  const auto host = files();
  tool::Call call = call_with("a");
  ASSERT_FALSE(loop_.get(host->resolve(call))->has_value());
  const auto attached = [&call]() -> const tool::Attachment& {
    return call.passport->given->attachments.front();
  };
  EXPECT_EQ(attached().bytes, 5u);
  EXPECT_EQ(attached().sha256, to_hex(sha256("first")));
  EXPECT_EQ(attached().file, nullptr);
  ASSERT_FALSE(loop_.get(host->open_attached(call))->has_value());
  ASSERT_NE(attached().file, nullptr);
  char text[8];
  EXPECT_EQ(::pread(attached().file->get(), text, sizeof text, 0), 5);
}

TEST_F(FilesTest, ACallWhoseFileWasReplacedWhileItWaitedDoesNotRun) {
  upload("a", "first");
  const auto host = files();
  tool::Call call = call_with("a");
  ASSERT_FALSE(loop_.get(host->resolve(call))->has_value());
  ASSERT_TRUE(*loop_.get(host->remove("anna", "a")));
  EXPECT_TRUE(refuses(*host, call));
  ASSERT_TRUE(test::run_until(loop_.io, [this] { return entries_of(settings_.folder) == 0; }));
  upload("a", "other");
  EXPECT_TRUE(refuses(*host, call));
}

TEST_F(FilesTest, AStoreThatFailsAtTheStartIsReadAgain) {
  failures_ = 1;
  settings_.read_again = 1ms;
  fs::create_directories(settings_.folder);
  std::ofstream(settings_.folder / "of_a_killed_host") << "text";
  const auto late = files();
  late->is_at("http://127.0.0.1:8808");
  const auto started = loop_.start(late->start());
  ASSERT_TRUE(test::run_until(loop_.io, [&] { return started->has_value(); }));
  EXPECT_FALSE(**started);
  EXPECT_TRUE(test::run_until(loop_.io, [&] { return late->has_urls(); }));
  EXPECT_TRUE(test::run_until(loop_.io, [&] { return entries_of(settings_.folder) == 0; }));
  late->stop();
}

// To free the space of a large file takes long: the thread of the I/O does not wait for it.
TEST(Download, OneThatEndsIsClosedByTheThreadOfTheDisk) {
  asio::io_context io;
  asio::io_context disk;
  UniqueFd file(::memfd_create("download", MFD_CLOEXEC));
  const int number = file.get();
  auto download =
      std::make_unique<Download>(io.get_executor(), disk.get_executor(), std::move(file), 0);
  download.reset();
  EXPECT_NE(::fcntl(number, F_GETFD), -1);
  disk.poll();
  EXPECT_EQ(::fcntl(number, F_GETFD), -1);
}

TEST(Upload, OneThatEndsEarlyIsRemovedByTheThreadOfTheDisk) {
  const fs::path place = fs::temp_directory_path() / ("upload-test-" + std::to_string(::getpid()));
  asio::io_context io;
  asio::io_context disk;
  Upload::Parts parts;
  parts.io = io.get_executor();
  parts.disk = disk.get_executor();
  parts.folder = std::make_shared<Folder>(place);
  parts.refusal = []() -> asio::awaitable<std::optional<transport::HttpRefusal>> {
    co_return std::nullopt;
  };
  auto upload = std::make_shared<Upload>(std::move(parts), "a", "");
  bool taken = false;
  upload->take("text", [&taken](const auto& refused) { taken = !refused; });
  for (int turn = 0; turn < 10; ++turn) {
    io.restart();
    io.poll();
    disk.restart();
    disk.poll();
  }
  io.restart();
  io.poll();
  EXPECT_TRUE(taken);
  EXPECT_EQ(entries_of(place), 1u);
  upload.reset();
  EXPECT_EQ(entries_of(place), 1u);
  disk.restart();
  disk.poll();
  EXPECT_EQ(entries_of(place), 0u);
  fs::remove_all(place);
}

}  // namespace
}  // namespace host::file
