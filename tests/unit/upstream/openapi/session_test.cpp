#include "upstream/openapi/api_session.h"

#include <gmock/gmock.h>
#include <boost/asio/io_context.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace host::upstream::openapi {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Listener final : public TransportListener {
 public:
  void message(std::string_view text, const protocol::Id&) override { texts.emplace_back(text); }
  void failed(const protocol::Id&, Reached, const Error& why) override {
    texts.push_back(why.message);
  }
  void ended(const Error&) override {}

  std::vector<std::string> texts;
};

class ApiSessionTest : public ::testing::Test {
 protected:
  ApiSessionTest() {
    std::string pattern = ::testing::TempDir() + "api_session_XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    ApiUpstream api;
    api.document = folder_ / "api.json";
    write(R"({"openapi":"3.1.0","paths":{"/x":{"get":{}}}})");
    api.read.servers.base = "https://api.example";
    api.budget = std::make_shared<Budget>(0, std::size_t{1} << 20u);
    api.secrets = std::make_shared<Secrets>();
    api.jobs = jobs_;
    api.look_every = std::chrono::milliseconds(1);
    auto gate = std::make_shared<outbound::Gate>(io_.get_executor(), outbound::Settings());
    session_ = std::make_shared<ApiSession>(io_.get_executor(), gate, api);
    session_->open(listener_);
  }
  ~ApiSessionTest() override {
    session_->drop();
    std::filesystem::remove_all(folder_);
  }

  // A new file, which has a stamp of its own.
  void write(const std::string& text) {
    std::ofstream(folder_ / "new.json") << text;
    std::filesystem::rename(folder_ / "new.json", folder_ / "api.json");
  }

  void list(const std::string& id) {
    Outgoing message;
    message.method = "tools/list";
    message.id = id;
    message.text = R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"tools/list"})";
    session_->send(std::move(message));
  }

  boost::asio::io_context io_;
  std::shared_ptr<JobThread> jobs_ = std::make_shared<JobThread>(io_.get_executor());
  std::filesystem::path folder_;
  Listener listener_;
  std::shared_ptr<ApiSession> session_;
};

// Otherwise calls could be for a document other than the one whose definitions were compared.
TEST_F(ApiSessionTest, ALaterListReplacesAnEarlierOne) {
  list("1");
  list("2");
  io_.run();
  EXPECT_THAT(listener_.texts, ElementsAre(HasSubstr("\"id\":2")));
  EXPECT_THAT(listener_.texts, ElementsAre(HasSubstr("get_x")));
}

TEST_F(ApiSessionTest, AListThatIsCancelledChangesNothing) {
  list("1");
  session_->cancel("1");
  io_.run();
  EXPECT_THAT(listener_.texts, IsEmpty());
  EXPECT_THAT(session_->tools_were_read(), IsEmpty());
}

// Also of a change after one that could not be read.
TEST_F(ApiSessionTest, TellsOfEachChangeOfTheFile) {
  const auto until = [&](std::size_t count) {
    while (listener_.texts.size() < count) {
      io_.restart();
      ASSERT_GT(io_.run_one_for(std::chrono::seconds(60)), 0u);
    }
  };
  list("1");
  until(1);
  session_->negotiated();
  std::string document = "no";
  for (int change = 1; change <= 3; ++change) {
    write(document += " document");
    until(listener_.texts.size() + 1);
    EXPECT_THAT(listener_.texts.back(), HasSubstr("list_changed"));
    list("7");
    until(listener_.texts.size() + 1);
    EXPECT_THAT(listener_.texts.back(), HasSubstr("cannot be used"));
  }
  std::filesystem::remove(folder_ / "api.json");
  until(listener_.texts.size() + 1);
  EXPECT_THAT(listener_.texts.back(), HasSubstr("list_changed"));
  list("8");
  until(listener_.texts.size() + 1);
  EXPECT_THAT(listener_.texts.back(), HasSubstr("does not exist"));
  write(document);
  until(listener_.texts.size() + 1);
  EXPECT_THAT(listener_.texts.back(), HasSubstr("list_changed"));
}

}  // namespace
}  // namespace host::upstream::openapi
