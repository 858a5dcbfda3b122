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
    std::ofstream(api.document) << R"({"openapi":"3.1.0","paths":{"/x":{"get":{}}}})";
    api.read.servers.base = "https://api.example";
    api.budget = std::make_shared<Budget>(0, std::size_t{1} << 20u);
    api.secrets = std::make_shared<Secrets>();
    api.jobs = jobs_;
    auto gate = std::make_shared<outbound::Gate>(io_.get_executor(), outbound::Settings());
    session_ = std::make_shared<ApiSession>(io_.get_executor(), gate, api);
    session_->open(listener_);
  }
  ~ApiSessionTest() override {
    session_->drop();
    std::filesystem::remove_all(folder_);
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

}  // namespace
}  // namespace host::upstream::openapi
