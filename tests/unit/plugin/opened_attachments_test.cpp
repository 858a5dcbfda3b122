// Attachments that plugins read by a descriptor, in both isolations, through the public SDK.
#include <fcntl.h>

#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "plugin/services/attachments.h"
#include "plugin_fixture.h"
#include "support/places.h"

namespace host::plugin {
namespace {

class OpenedTest : public PluginTest {
 protected:
  OpenedTest() {
    settings("services").isolation = GetParam();
    attachments_.emplace(io_.get_executor());
    attachments_->offer_in(*table_);
    options_.services = table_;
    install_file(places::build() / "tests/plugins/services.so", "services");
    start();
  }
  ~OpenedTest() override {
    stop();
    attachments_.reset();
  }

  void give(const std::string& id, const std::string& bytes) {
    const fs::path file = folder_ / id;
    std::ofstream(file, std::ios::binary) << bytes;
    tool::Attachment made{id, id + ".txt", "text/plain", bytes.size(), nullptr};
    made.file = std::make_shared<const UniqueFd>(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    auto given = std::make_shared<tool::CallContext>();
    given->attachments = {std::move(made)};
    passport_ = test::passport_with([&](tool::Passport& passport) { passport.given = given; });
  }
  // Open in the plugin's process. Inline, that is this process, which may close some of its own.
  int descriptors() { return std::stoi(text("descriptors")); }
  bool in_worker() const { return GetParam() == config::Isolation::Worker; }

  const std::shared_ptr<ServiceTable> table_ = std::make_shared<ServiceTable>();
  std::optional<AttachmentService> attachments_;
};

INSTANTIATE_TEST_SUITE_P(, OpenedTest,
                         ::testing::Values(config::Isolation::Worker, config::Isolation::Inline),
                         isolation_name);

const std::string kOfA = R"({"id":"a"})";

TEST_P(OpenedTest, AnAttachmentIsReadByItsDescriptorAlsoWhenItsNameIsGone) {
  give("a", "first");
  EXPECT_EQ(text("opened_read", kOfA), "first");
  fs::remove(folder_ / "a");
  EXPECT_EQ(text("opened_read", kOfA), "first");
  give("a", "");
  EXPECT_EQ(text("opened_read", kOfA), "");
}

TEST_P(OpenedTest, ADescriptorReadsOnlyAndHasItsOwnOffset) {
  give("a", "first");
  EXPECT_EQ(text("opened_tried", kOfA),
            "mode read, close on exec, write EBADF, truncate EINVAL, map to write EACCES, read 1, "
            "offsets 1 0");
}

TEST_P(OpenedTest, TheSandboxOpensNoAttachmentByAName) {
  give("a", "first");
  if (!in_worker()) return;
  EXPECT_NE(text("opened_again", kOfA), "opened");
}

TEST_P(OpenedTest, ALargeAttachmentIsMapped) {
  std::string bytes(9'000'000, '\0');
  for (std::size_t at = 0; at < bytes.size(); ++at) bytes[at] = static_cast<char>(at * at >> 3u);
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  give("a", bytes);
  EXPECT_EQ(text("opened_mapped", kOfA), "9000000 " + std::to_string(hash));
}

TEST_P(OpenedTest, ADescriptorOutlivesItsCall) {
  give("a", "kept");
  EXPECT_EQ(text("opened_kept", kOfA), "kept");
  fs::remove(folder_ / "a");
  passport_ = nullptr;
  EXPECT_EQ(text("opened_later"), "kept");
}

TEST_P(OpenedTest, OnlyAttachmentsOfTheCallAreOpened) {
  give("b", "other");
  const std::string none = "no attachment of that id";
  EXPECT_NE(text("opened_read", kOfA).find(none), std::string::npos);
  EXPECT_NE(text("opened_read", R"({"id":""})").find(none), std::string::npos);
  EXPECT_NE(text("opened_read", R"({"id":"../b"})").find(none), std::string::npos);
  passport_ = nullptr;
  EXPECT_NE(text("opened_read", R"({"id":"b"})").find(none), std::string::npos);
}

TEST_P(OpenedTest, ACallOpensNoMoreFilesThanItsLimit) {
  give("a", "first");
  EXPECT_EQ(text("opened_read", kOfA), "first");
  const int before = descriptors();
  EXPECT_EQ(text("opened_many", R"({"id":"a","times":64})"), "64 opened");
  EXPECT_EQ(
      text("opened_many", R"({"id":"a","times":65})"),
      "64: " + std::to_string(TP_E_BUSY) + " the call has opened 64 files, and can open no more");
  EXPECT_LE(descriptors(), before);
}

TEST_P(OpenedTest, AWorkerWithoutAFreeDescriptorLearnsItAndGoesOn) {
  if (!in_worker()) return;
  give("a", "first");
  const int before = descriptors();
  const std::string said = text("opened_many", R"({"id":"a","times":64,"keep":true})");
  EXPECT_NE(said.find(": " + std::to_string(TP_E_NOMEM) + " "), std::string::npos) << said;
  EXPECT_LE(descriptors(), before);
  EXPECT_EQ(text("opened_read", kOfA), "first");  // the order of files and frames is right
}

TEST_P(OpenedTest, DescriptorsThatNobodyTakesAreClosed) {
  give("a", "first");
  EXPECT_EQ(text("opened_read", kOfA), "first");
  const int before = descriptors();
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(text("opened_left", R"({"id":"a","times":30})"), "30 asked");
  int now = descriptors();
  for (int i = 0; i < 1000 && now > before; ++i) now = descriptors();
  EXPECT_LE(now, before);
  EXPECT_EQ(text("opened_read", kOfA), "first");
}

}  // namespace
}  // namespace host::plugin
