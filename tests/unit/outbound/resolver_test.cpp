// Names whose lookup the test ends itself.
#include "outbound/resolver.h"

#include <boost/asio/io_context.hpp>

#include <gmock/gmock.h>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "outbound/gate.h"

namespace host::outbound {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A name server that answers what it was told to answer, once it was told. Outlives its threads.
class NameServer {
 public:
  void answer(const std::string& host, Result<Addresses> with) {
    const std::lock_guard lock(mutex_);
    answers_.insert_or_assign(host, std::move(with));
    changed_.notify_all();
  }
  void wait_for_question(const std::string& host) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return asked_[host] > 0; });
  }
  int asked(const std::string& host) {
    const std::lock_guard lock(mutex_);
    return asked_[host];
  }
  static LookUp of(std::shared_ptr<NameServer> server) {
    return [server = std::move(server)](const std::string& host) {
      std::unique_lock lock(server->mutex_);
      ++server->asked_[host];
      server->changed_.notify_all();
      server->changed_.wait(lock, [&] { return server->answers_.contains(host); });
      return server->answers_.at(host);
    };
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Result<Addresses>> answers_;
  std::map<std::string, int> asked_;
};

class Names : public ::testing::Test {
 protected:
  ~Names() override {
    for (const char* host : {"a", "b", "c", "mute.test"})
      server->answer(host, address("192.0.2.9"));
  }
  static Result<Addresses> address(const char* text) {
    return Addresses{boost::asio::ip::make_address(text)};
  }
  Resolver& resolver(std::uint32_t threads) {
    resolver_ = std::make_unique<Resolver>(io.get_executor(), threads, NameServer::of(server));
    return *resolver_;
  }
  void find(const std::string& host, const std::string& owner = "ann") {
    resolver_->find(host, owner, [this, host](const Result<Addresses>& found) {
      said.push_back(host + " " +
                     (found ? found->front().to_string() : std::string(found.error().message)));
    });
  }
  void until(std::size_t answers) {
    const auto work = boost::asio::make_work_guard(io);
    while (said.size() < answers) {
      io.restart();
      io.run_one();
    }
  }

  boost::asio::io_context io;
  const std::shared_ptr<NameServer> server = std::make_shared<NameServer>();
  std::unique_ptr<Resolver> resolver_;
  std::vector<std::string> said;
};

TEST_F(Names, OneThatIsNotAnsweredDelaysNoOther) {
  resolver(2);
  find("a");
  server->wait_for_question("a");
  server->answer("b", address("192.0.2.2"));
  find("b");
  EXPECT_THAT(said, IsEmpty());  // never before find() returns
  until(1);
  EXPECT_THAT(said, ElementsAre("b 192.0.2.2"));
  server->answer("a", Error{ErrorKind::Io, "cannot find a"});
  until(2);
  EXPECT_THAT(said, ElementsAre("b 192.0.2.2", "a cannot find a"));
}

TEST_F(Names, ANameIsLookedUpOnceForAllWhoWait) {
  resolver(2);
  find("a");
  server->wait_for_question("a");
  find("a");
  find("b");
  server->wait_for_question("b");
  find("c");  // both threads are busy
  EXPECT_EQ(server->asked("c"), 0);
  server->answer("a", address("192.0.2.1"));
  until(2);
  EXPECT_THAT(said, ElementsAre("a 192.0.2.1", "a 192.0.2.1"));
  EXPECT_EQ(server->asked("a"), 1);
  server->wait_for_question("c");
}

TEST_F(Names, OfOneOwnerThatAreNotAnsweredDelayNoOtherOwner) {
  resolver(4);
  for (const char* host : {"a", "b", "c", "mute.test"}) find(host, "ann");
  for (const char* host : {"a", "b", "c"}) server->wait_for_question(host);
  EXPECT_EQ(server->asked("mute.test"), 0);  // a thread is left for others
  server->answer("d", address("192.0.2.4"));
  find("d", "bob");
  until(1);
  EXPECT_THAT(said, ElementsAre("d 192.0.2.4"));
  server->answer("a", address("192.0.2.1"));
  server->wait_for_question("mute.test");
}

TEST_F(Names, OfAnOwnerWithManyQuestionsWaitBehindThoseOfAnotherOwner) {
  resolver(2);
  for (const char* host : {"a", "mute.test"}) {
    find(host, "ann");
    server->wait_for_question(host);
  }
  find("b", "ann");
  find("c", "bob");
  server->answer("a", address("192.0.2.1"));
  server->wait_for_question("c");
  EXPECT_EQ(server->asked("b"), 0);
}

TEST_F(Names, ANameIsLookedUpForEachOwner) {
  resolver(2);
  find("a", "ann");
  find("a", "bob");
  server->answer("a", address("192.0.2.1"));
  until(2);
  EXPECT_EQ(server->asked("a"), 2);
}

TEST_F(Names, WhoGoesWaitsForNobody) {
  resolver(1);
  find("a");
  server->wait_for_question("a");
  find("b");
  resolver_->give_up({ErrorKind::Cancelled, "over"});
  until(2);
  EXPECT_THAT(said, ElementsAre("a over", "b over"));
  find("c");
  resolver_.reset();  // a thread still waits for the answer about "a"
  server->answer("a", address("192.0.2.1"));
  io.restart();
  io.run();
  EXPECT_THAT(said, ElementsAre("a over", "b over"));
}

TEST_F(Names, ARequestEndsInItsTimeAlsoWhileItsNameIsLookedUp) {
  Settings settings;
  settings.timeout = std::chrono::milliseconds(50);
  settings.look_up = NameServer::of(server);
  Gate gate(io.get_executor(), settings);
  Request request;
  request.url = "https://mute.test/";
  request.allowed = AllowList({"https://mute.test"});
  std::string why;
  gate.send(std::move(request), [&](const Result<Response>& response) {
    why = response ? "a response" : response.error().message;
  });
  io.run();  // ends although the name server says nothing
  EXPECT_THAT(why, HasSubstr("no answer within its time"));
}

TEST(SystemNames, ANameOfThisMachineIsFound) {
  const auto found = look_up_by_system("localhost");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_TRUE(found->front().is_loopback());
  EXPECT_FALSE(look_up_by_system("no such name"));
}

}  // namespace
}  // namespace host::outbound
