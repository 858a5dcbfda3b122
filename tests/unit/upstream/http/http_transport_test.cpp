// The HTTP transports against servers of this test, on the same loop.
#include "upstream/http/http_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include <boost/asio/post.hpp>

#include "support/http_server.h"
#include "upstream/http/exchange.h"
#include "upstream/http/http_requests.h"

namespace host::upstream {
namespace {

using protocol::Version;
using ::testing::ElementsAre;
using ::testing::StartsWith;
using Texts = std::vector<std::string>;

class Seen final : public TransportListener {
 public:
  void message(std::string_view text, const protocol::Id& request) override {
    messages.push_back(request + "|" + std::string(text));
    if (after_message) after_message();
  }
  void names_lost_session(const protocol::Id& request) override {
    named.push_back(request + " before message " + std::to_string(messages.size() + 1));
  }
  void failed(const protocol::Id& request, Reached reached, const Error& why) override {
    failures.push_back(request + (reached == Reached::No ? "|no|" : "|perhaps|") +
                       std::string(to_string(why.kind)));
  }
  void missed() override { ++gaps; }
  void leaving(const Error& why) override { left = why; }
  void ended(const Error& why) override { end = why; }

  std::function<void()> after_message;
  Texts messages;
  Texts named;
  Texts failures;
  int gaps = 0;
  std::optional<Error> left;
  std::optional<Error> end;
};

// Gives the token "t", and no other one for a token that was refused.
class FakeAuthorizer final : public Authorizer {
 public:
  explicit FakeAuthorizer(boost::asio::io_context& io) : io_(io) {}
  void token(Done done) override {
    ++asked;
    if (holds) return held.push_back(std::move(done));
    tell(std::move(done), fault ? Result<std::string>(*fault) : Result<std::string>("t"));
  }
  bool concerns(int status, const std::string&) const override { return status == 401; }
  void accepted(const std::string&) override {}
  void refused(Refusal, Done done) override { tell(std::move(done), refusal); }

  std::optional<Error> fault;  // why there is no token at all
  Error refusal;
  int asked = 0;
  bool holds = false;  // the tokens that are asked for come later
  std::vector<Done> held;

 private:
  void tell(Done done, Result<std::string> what) {
    boost::asio::post(io_, [done = std::move(done), what = std::move(what)] { done(what); });
  }
  boost::asio::io_context& io_;
};

struct Asked {
  std::size_t peer = 0;
  std::string head;
  std::string body;

  bool has(const std::string& line) const { return head.find("\r\n" + line + "\r\n") != head.npos; }
  bool begins(std::string_view text) const { return head.starts_with(text); }
};

class HttpTransports : public ::testing::Test {
 protected:
  Transport& open(HttpKind kind = HttpKind::Streamable) {
    outbound::Settings settings;
    settings.loopback = {server.origin()};
    gate = std::make_shared<outbound::Gate>(io.get_executor(), settings);
    HttpUpstream upstream;
    upstream.url = server.origin() + "/mcp";
    upstream.headers = {{"Authorization", "Bearer ours"}};
    upstream.kind = kind;
    upstream.message_bytes = message_bytes;
    if (short_answer.count() > 0) upstream.short_answer = short_answer;
    if (budget) upstream.budget = budget;
    upstream.authorizer = authorizer;
    transport = *make_http_transport(io.get_executor(), gate, upstream);
    transport->open(seen);
    return *transport;
  }

  void send(std::string method, std::string id, std::optional<Version> version = {},
            std::string name = {}) {
    Outgoing message;
    message.text = R"({"method":")" + method + R"("})";
    message.method = std::move(method);
    message.id = std::move(id);
    message.version = version;
    message.name = std::move(name);
    transport->send(std::move(message));
  }

  void until(const std::function<bool()>& is_so) {
    const auto most = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    bool so = is_so();
    while (!so && std::chrono::steady_clock::now() < most) {
      io.restart();
      io.run_one_for(std::chrono::seconds(1));
      so = is_so();
    }
    ASSERT_TRUE(so);
  }

  // The next whole request on any connection.
  Asked next() {
    Asked asked;
    until([&] { return take(asked); });
    return asked;
  }
  bool take(Asked& asked) {
    for (std::size_t i = 0; i < server.peers.size(); ++i) {
      std::string& in = server.peers[i]->in;
      const std::size_t end = in.find("\r\n\r\n");
      if (end == std::string::npos) continue;
      const std::size_t length_at = in.find("Content-Length: ");
      const std::size_t length =
          length_at < end ? std::stoul(in.substr(length_at + 16)) : std::size_t{0};
      if (in.size() < end + 4 + length) continue;
      asked = {i, in.substr(0, end + 2), in.substr(end + 4, length)};
      in.erase(0, end + 4 + length);
      return true;
    }
    return false;
  }

  void answer(const Asked& asked, const std::string& status, const std::string& body = {},
              const std::string& headers = "Content-Type: application/json\r\n") {
    server.write(asked.peer, "HTTP/1.1 " + status + "\r\n" + headers + "Content-Length: " +
                                 std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  void stream(const Asked& asked, const std::string& events) {
    server.write(asked.peer,
                 "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                 "Transfer-Encoding: chunked\r\n\r\n");
    chunk(asked, events);
  }
  void chunk(const Asked& asked, const std::string& text) {
    char size[32];
    std::snprintf(size, sizeof size, "%zx\r\n", text.size());
    if (!text.empty()) server.write(asked.peer, size + text + "\r\n");
  }
  void end_stream(const Asked& asked) { server.write(asked.peer, "0\r\n\r\n"); }

  void break_off(const Asked& asked, const std::string& text) {
    const std::size_t whole = server.written + text.size();
    server.write(asked.peer, text);
    until([&] { return server.written == whole; });
    server.peers[asked.peer]->socket.close();
  }

  static std::string result(const std::string& id) {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{}})";
  }

  static constexpr char kNoSession[] = "Session not found";
  static constexpr char kEvents[] = "Content-Type: text/event-stream\r\n";

  static constexpr char kProgress[] = R"({"method":"notifications/progress"})";

  static std::string event(const std::string& data) { return "data: " + data + "\n\n"; }

  static std::string error_text(const std::string& id, const std::string& error) {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"error":)" + error + "}";
  }
  static std::string error(const std::string& id, int code, const std::string& message = "m") {
    return error_text(id,
                      R"({"code":)" + std::to_string(code) + R"(,"message":")" + message + R"("})");
  }

  // Errors about the message `id` with which a server refuses a forgotten session.
  static Texts session_errors(const std::string& id) {
    return {error(id, -32000, "Bad Request: No valid session ID provided"),
            error(id, -32000, "InvalidSession"), error(id, -32001, kNoSession),
            "[" + error(id, -32001, kNoSession) + "]"};
  }
  // Errors about the message `id` that can come after the server has acted on the message.
  static Texts other_errors(const std::string& id) {
    return {error(id, -32603),
            error(id, -32600),
            error(id, -32000, "You lost possession of the lock"),
            error(id, -32001, "Request timed out"),
            error(id, -32002, kNoSession),
            error(id, -32602, "unknown sessionId"),
            error(id, -32603, "mail sent; browser session died"),
            error_text(id, R"("No such session")"),
            error_text(id, R"({"code":"gone","message":"The session is gone"})"),
            error_text(id, R"({"code":-32001,"code":-32001,"message":"no session"})"),
            error(id, 404),
            error_text(id, R"("m")"),
            error_text(id, "true"),
            error_text(id, R"({"code":"-32601","message":"m"})"),
            error_text(id, R"({"code":-32601.5,"message":"m"})"),
            error_text(id, R"({"code":-32601,"code":-32601})"),
            error_text(id, R"({"code":-32001,"code":-32001},"result":"session")"),
            "[" + error(id, -32603) + "]"};
  }

  // The start of a response with events that stays open.
  void begin_events(const Asked& asked, const std::string& status) {
    server.write(asked.peer, "HTTP/1.1 " + status +
                                 "\r\nContent-Type: text/event-stream\r\n"
                                 "Transfer-Encoding: chunked\r\n\r\n");
  }

  // Responses that break off, and could name the session.
  static Texts cut_session_errors() {
    const std::string head = "\r\nContent-Type: application/json\r\nContent-Length: 200\r\n\r\n";
    const std::string error = R"({"error":{"code":-32603,"message":"mail sent; session died"})";
    return {"HTTP/1.1 400 Bad Request" + head + error, "HTTP/1.1 404 Not Found" + head + error};
  }

  // Responses to the request 2 that do not answer it, although the tool can have run.
  Texts unclear_refusals() const {
    const std::string lost = error("null", -32001, kNoSession);
    const std::string twice = R"("id":2,"result":{"a":1,"a":"session"}})";
    Texts out;
    for (const std::string& events :
         {event(kProgress), event(kProgress) + event(lost), event(lost) + event(kProgress),
          event(R"({"method":"notifications/message","params":"browser session opened"})"),
          event("session"), event(R"({"id":9,"result":"session"})"), std::string(": session\n\n")})
      out.push_back(std::string(kEvents) + "|" + events);
    for (const std::string& body :
         {R"({"id":"2","result":"session"})" + std::string(), R"({"id":2,)" + twice,
          "[{" + twice + "]", lost.substr(0, lost.size() - 1), std::string(kProgress),
          "[" + std::string(kProgress) + "]", std::string(R"([{"id":"2","result":{}}])"),
          "[" + lost + "," + kProgress + "]", error("null", -32001, std::string(70'000, 'x'))})
      out.push_back("|" + body);
    return out;
  }

  // The answer to a question that came in the response to the request `asker`.
  void send_answer(std::string question, std::string asker) {
    Outgoing message;
    message.text = R"({"result":{}})";
    message.id = std::move(question);
    message.asker = std::move(asker);
    message.version = Version::v2025_11_25;
    transport->send(std::move(message));
  }

  // Two tokens that cannot be renewed, for different reasons, and one that cannot be had.
  void fail_for_want_of_a_token(std::optional<Version> version) {
    authorizer->refusal = Error{ErrorKind::Unavailable, "the server of logins is down"};
    send("tools/call", "2", version, "t");
    answer(next(), "401 Unauthorized", "", "");
    until([&] { return seen.failures.size() == 1; });
    authorizer->refusal = Error{ErrorKind::NotFound, "a secret cannot be read"};
    send("tools/call", "3", version, "t");
    answer(next(), "401 Unauthorized", "", "");
    until([&] { return seen.failures.size() == 2; });
    authorizer->fault = Error{ErrorKind::NotFound, "a secret cannot be read"};
    send("tools/call", "4", version, "t");
    until([&] { return seen.failures.size() == 3; });
  }

  // A legacy session with its standing stream.
  Asked begin_session() {
    open();
    send("initialize", "1");
    const Asked hello = next();
    EXPECT_FALSE(hello.has("Mcp-Session-Id: s1"));
    answer(hello, "200 OK", result("1"),
           "Content-Type: application/json\r\nMcp-Session-Id: s1\r\n");
    until([&] { return seen.messages.size() == 1; });
    send("notifications/initialized", "", Version::v2025_11_25);
    transport->negotiated(Version::v2025_11_25);
    const Asked initialized = next();
    EXPECT_TRUE(initialized.has("Mcp-Session-Id: s1"));
    answer(initialized, "202 Accepted", "", "");
    const Asked standing = next();
    EXPECT_TRUE(standing.begins("GET /mcp "));
    EXPECT_TRUE(standing.has("Mcp-Session-Id: s1"));
    EXPECT_TRUE(standing.has("MCP-Protocol-Version: 2025-11-25"));
    seen.messages.clear();
    return standing;
  }

  boost::asio::io_context io;
  test::HttpServer server{io};
  Seen seen;
  std::shared_ptr<outbound::Gate> gate;
  std::size_t message_bytes = 1000;
  std::shared_ptr<Budget> budget;              // null: a large one
  std::shared_ptr<FakeAuthorizer> authorizer;  // null: the header is enough
  std::chrono::milliseconds short_answer{0};   // 0: the usual one
  std::unique_ptr<Transport> transport;
};

// ---- 2026-07-28

TEST_F(HttpTransports, AModernRequestHasItsHeadersAndNoSession) {
  open();
  send("tools/call", "7", Version::v2026_07_28, "gr\xc3\xbc\xc3\x9f");
  const Asked asked = next();
  EXPECT_TRUE(asked.begins("POST /mcp HTTP/1.1"));
  EXPECT_TRUE(asked.has("MCP-Protocol-Version: 2026-07-28"));
  EXPECT_TRUE(asked.has("Mcp-Method: tools/call"));
  EXPECT_TRUE(asked.has("Mcp-Name: =?base64?Z3LDvMOf?="));
  EXPECT_TRUE(asked.has("Authorization: Bearer ours"));
  EXPECT_TRUE(asked.has("Accept: application/json, text/event-stream"));
  answer(asked, "200 OK", result("7"), "Content-Type: application/json\r\nMcp-Session-Id: x\r\n");
  until([&] { return !seen.messages.empty(); });
  EXPECT_EQ(seen.messages, Texts{"7|" + result("7")});
  EXPECT_TRUE(seen.failures.empty());
}

TEST_F(HttpTransports, ACancelledModernRequestClosesItsResponse) {
  open();
  send("tools/call", "7", Version::v2026_07_28, "t");
  const Asked asked = next();
  stream(asked, "data: {\"method\":\"notifications/progress\"}\n\n");
  until([&] { return seen.messages.size() == 1; });
  EXPECT_EQ(seen.messages[0], "7|{\"method\":\"notifications/progress\"}");
  transport->cancel("7", "{}");
  until([&] { return server.peers[asked.peer]->is_closed; });
  EXPECT_EQ(server.peers.size(), 1u) << "a notification was sent";
}

TEST_F(HttpTransports, AModernResponseThatBreaksOffIsLost) {
  open();
  send("tools/call", "7", Version::v2026_07_28, "t");
  const Asked asked = next();
  stream(asked, "id: 1\ndata: {}\n\n");
  end_stream(asked);
  until([&] { return !seen.failures.empty(); });
  EXPECT_EQ(seen.failures, Texts{"7|perhaps|io"});
  EXPECT_FALSE(seen.end);
}

TEST_F(HttpTransports, ATokenThatCannotBeRenewedFailsItsRequestAlone) {
  authorizer = std::make_shared<FakeAuthorizer>(io);
  open();
  fail_for_want_of_a_token(Version::v2026_07_28);
  EXPECT_EQ(seen.failures, (Texts{"2|no|io", "3|no|io", "4|no|io"}));
  EXPECT_FALSE(seen.end);
}

TEST_F(HttpTransports, AnErrorOfJsonRpcIsAnAnswerWhateverItsStatus) {
  open();
  send("server/discover", "1", Version::v2026_07_28);
  const std::string error = R"({"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"m"}})";
  answer(next(), "400 Bad Request", error);
  until([&] { return !seen.messages.empty(); });
  EXPECT_EQ(seen.messages, Texts{"1|" + error});
}

TEST_F(HttpTransports, StatusesSayWhetherTheRequestWasCarriedOut) {
  open();
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"400 Bad Request", "no|invalid_argument"},
      {"404 Not Found", "no|invalid_argument"},
      {"405 Not Allowed", "no|invalid_argument"},
      {"422 Unprocessable", "no|invalid_argument"},
      {"406 Not Acceptable", "no|invalid_argument"},
      {"401 Unauthorized", "no|denied"},
      {"429 Too Many", "no|io"},
      {"500 Oops", "perhaps|io"},
      {"200 OK", "perhaps|io"}};
  for (const auto& [status, expected] : cases) {
    seen.failures.clear();
    send("server/discover", "1", Version::v2026_07_28);
    answer(next(), status, status == "200 OK" ? "" : "<html>");
    until([&] { return !seen.failures.empty(); });
    EXPECT_EQ(seen.failures[0], "1|" + expected) << status;
  }
}

// ---- sessions

TEST_F(HttpTransports, ASessionBeginsWithInitializeAndEndsWithDelete) {
  const Asked standing = begin_session();
  stream(standing, "data: {\"method\":\"notifications/tools/list_changed\"}\n\n");
  until([&] { return !seen.messages.empty(); });
  EXPECT_EQ(seen.messages, Texts{"|{\"method\":\"notifications/tools/list_changed\"}"});
  transport->close();
  const Asked farewell = next();
  EXPECT_TRUE(farewell.begins("DELETE /mcp "));
  EXPECT_TRUE(farewell.has("Mcp-Session-Id: s1"));
  EXPECT_FALSE(seen.end);
  answer(farewell, "204 No Content", "", "");
  until([&] { return seen.end.has_value(); });
  EXPECT_TRUE(server.peers[standing.peer]->is_closed);
}

TEST_F(HttpTransports, NothingOvertakesInitialized) {
  open();
  send("initialize", "1");
  answer(next(), "200 OK", result("1"));
  until([&] { return seen.messages.size() == 1; });
  send("notifications/initialized", "", Version::v2025_06_18);
  transport->negotiated(Version::v2025_06_18);
  send("tools/list", "2", Version::v2025_06_18);
  const Asked initialized = next();
  EXPECT_EQ(initialized.body, R"({"method":"notifications/initialized"})");
  for (int i = 0; i < 20; ++i) io.poll_one();
  Asked early;
  EXPECT_FALSE(take(early)) << early.head;
  answer(initialized, "202 Accepted", "", "");
  const Asked one = next();  // on connections of their own, so in any order
  const Asked two = next();
  EXPECT_TRUE(one.begins("GET ") != two.begins("GET "));
  EXPECT_EQ(one.body + two.body, R"({"method":"tools/list"})");
}

// The next connection must begin at once, as after any forgotten session.
TEST_F(HttpTransports, ASessionThatIsForgottenAtOnceEndsBeforeItsRequestsFail) {
  open();
  send("initialize", "1");
  answer(next(), "200 OK", result("1"), "Content-Type: application/json\r\nMcp-Session-Id: s1\r\n");
  until([&] { return seen.messages.size() == 1; });
  send("notifications/initialized", "", Version::v2025_11_25);
  transport->negotiated(Version::v2025_11_25);
  send("tools/list", "2", Version::v2025_11_25);
  answer(next(), "404 Not Found", "", "");
  until([&] { return seen.end.has_value(); });
  EXPECT_EQ(seen.failures, Texts{});
  EXPECT_EQ(seen.end->kind, ErrorKind::NotFound);
}

TEST_F(HttpTransports, AForgottenSessionEndsTheConnectionAndSaysThatTheCallDidNotArrive) {
  answer(begin_session(), "405 Method Not Allowed", "", "");
  send("tools/call", "2", Version::v2025_11_25, "t");
  answer(next(), "404 Not Found",
         R"({"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null})");
  until([&] { return seen.end.has_value(); });
  EXPECT_EQ(seen.failures, Texts{"2|no|not_found"});
  EXPECT_EQ(seen.end->kind, ErrorKind::NotFound);
}

// Its response has begun, so the call can have been carried out.
TEST_F(HttpTransports, AForgottenSessionEndsAResponseThatCouldOnlyBeContinued) {
  answer(begin_session(), "405 Method Not Allowed", "", "");
  send("tools/call", "2", Version::v2025_11_25, "t");
  const Asked open_one = next();
  stream(open_one, ": working\n\n");
  send("tools/call", "3", Version::v2025_11_25, "t");
  const Asked broken = next();
  stream(broken, "id: e1\nretry: 3600000\ndata: {\"method\":\"notifications/progress\"}\n\n");
  end_stream(broken);
  until([&] { return seen.messages.size() == 1; });
  send("tools/call", "4", Version::v2025_11_25, "t");
  answer(next(), "404 Not Found", "", "");
  until([&] { return seen.left.has_value(); });
  EXPECT_EQ(seen.failures, (Texts{"4|no|not_found", "3|perhaps|not_found"}));
  EXPECT_FALSE(seen.end);
  chunk(open_one, "data: " + result("2") + "\n\n");
  until([&] { return seen.end.has_value(); });
  EXPECT_EQ(seen.messages.back(), "2|" + result("2"));
}

// Nothing is open that could still be answered.
TEST_F(HttpTransports, AForgottenSessionWithoutOpenResponsesEndsAtOnce) {
  answer(begin_session(), "405 Method Not Allowed", "", "");
  send("tools/call", "3", Version::v2025_11_25, "t");
  const Asked broken = next();
  stream(broken, "id: e1\nretry: 3600000\ndata: {\"method\":\"notifications/progress\"}\n\n");
  end_stream(broken);
  until([&] { return seen.messages.size() == 1; });
  send("tools/call", "4", Version::v2025_11_25, "t");
  answer(next(), "404 Not Found", "", "");
  until([&] { return seen.end.has_value(); });
  EXPECT_EQ(seen.failures, (Texts{"4|no|not_found", "3|perhaps|not_found"}));
  EXPECT_FALSE(seen.left);
}

// It waits for its second try, and no byte of it was sent.
TEST_F(HttpTransports, AForgottenSessionEndsARequestThatNeverReachedItsServer) {
  authorizer = std::make_shared<FakeAuthorizer>(io);
  answer(begin_session(), "405 Method Not Allowed", "", "");
  send("tools/call", "2", Version::v2025_11_25, "t");
  stream(next(), "data: {\"method\":\"notifications/progress\"}\n\n");
  until([&] { return seen.messages.size() == 1; });
  send("tools/call", "3", Version::v2025_11_25, "t");
  const Asked unknown = next();
  authorizer->fault = Error{ErrorKind::Io, "no connection could be made"};
  const int before = authorizer->asked;
  send("tools/call", "4", Version::v2025_11_25, "t");
  until([&] { return authorizer->asked > before; });
  answer(unknown, "404 Not Found", "", "");
  until([&] { return seen.left.has_value(); });
  EXPECT_EQ(seen.failures, (Texts{"3|no|not_found", "4|no|not_found"}));
  EXPECT_FALSE(seen.end);
}

TEST_F(HttpTransports, AForgottenSessionSendsNothingThatWaitedForInitialized) {
  open();
  send("initialize", "1");
  answer(next(), "200 OK", result("1"), "Content-Type: application/json\r\nMcp-Session-Id: s1\r\n");
  until([&] { return seen.messages.size() == 1; });
  send("tools/call", "2", Version::v2025_11_25, "t");
  const Asked open_one = next();
  stream(open_one, ": working\n\n");
  send("notifications/initialized", "", Version::v2025_11_25);
  const Asked initialized = next();
  send("tools/list", "3", Version::v2025_11_25);
  send("notifications/cancelled", "", Version::v2025_11_25);
  answer(initialized, "404 Not Found", "", "");
  until([&] { return seen.left.has_value(); });
  EXPECT_EQ(seen.failures, Texts{"3|no|not_found"});
  chunk(open_one, "data: " + result("2") + "\n\n");
  until([&] { return seen.end.has_value(); });
  Asked more;
  EXPECT_FALSE(take(more)) << more.head;
}

TEST_F(HttpTransports, AForgottenSessionLeavesTheResponsesThatAreOpen) {
  answer(begin_session(), "405 Method Not Allowed", "", "");
  send("tools/call", "2", Version::v2025_11_25, "t");
  const Asked streamed = next();
  stream(streamed, "data: {\"method\":\"notifications/progress\"}\n\n");
  until([&] { return seen.messages.size() == 1; });
  send("tools/call", "3", Version::v2025_11_25, "t");
  const Asked without_head = next();
  send("tools/call", "4", Version::v2025_11_25, "t");
  const Asked unknown = next();
  send("tools/call", "5", Version::v2025_11_25, "t");
  const Asked late = next();
  answer(unknown, "404 Not Found", "", "");
  until([&] { return seen.left.has_value(); });
  EXPECT_EQ(seen.failures, Texts{"4|no|not_found"});
  EXPECT_EQ(seen.left->kind, ErrorKind::NotFound);
  answer(late, "404 Not Found", "", "");
  until([&] { return seen.failures.size() == 2; });
  EXPECT_EQ(seen.failures[1], "5|no|not_found");
  chunk(streamed, "data: " + result("2") + "\n\n");
  until([&] { return seen.messages.size() == 2; });
  EXPECT_FALSE(seen.end);
  send("tools/call", "6", Version::v2025_11_25, "t");  // the session is gone
  until([&] { return seen.failures.size() == 3; });
  EXPECT_EQ(seen.failures[2], "6|no|not_found");
  answer(without_head, "200 OK", result("3"));
  until([&] { return seen.end.has_value(); });
  EXPECT_EQ(seen.messages[1], "2|" + result("2"));
  EXPECT_EQ(seen.messages[2], "3|" + result("3"));
  EXPECT_EQ(seen.end->kind, ErrorKind::NotFound);
}

TEST_F(HttpTransports, AForgottenSessionEndsWhenItsLastCallIsCancelled) {
  answer(begin_session(), "405 Method Not Allowed", "", "");
  send("tools/call", "2", Version::v2025_11_25, "t");
  const Asked open = next();
  stream(open, "id: 1\ndata: {\"method\":\"notifications/progress\"}\n\n");
  send("tools/call", "3", Version::v2025_11_25, "t");
  answer(next(), "404 Not Found", "", "");
  until([&] { return seen.left.has_value(); });
  EXPECT_FALSE(seen.end);
  transport->cancel("2", R"({"method":"notifications/cancelled"})");
  EXPECT_FALSE(seen.end);  // not from within a function of the transport
  until([&] { return seen.end.has_value(); });
  EXPECT_EQ(seen.failures, Texts{"3|no|not_found"});
}

// Its rest could be fetched only in the session.
TEST_F(HttpTransports, AResponseThatBreaksOffInAForgottenSessionIsLost) {
  answer(begin_session(), "405 Method Not Allowed", "", "");
  send("tools/call", "2", Version::v2025_11_25, "t");
  const Asked open = next();
  stream(open, "id: 1\ndata: {\"method\":\"notifications/progress\"}\n\n");
  until([&] { return seen.messages.size() == 1; });
  send("tools/call", "3", Version::v2025_11_25, "t");
  answer(next(), "404 Not Found", "", "");
  until([&] { return seen.left.has_value(); });
  end_stream(open);
  until([&] { return seen.end.has_value(); });
  EXPECT_EQ(seen.failures, (Texts{"3|no|not_found", "2|perhaps|io"}));
}

// The call was carried out, so it must not be sent again in a new session.
TEST_F(HttpTransports, TheResponseToACallIsAnAnswerEvenWithStatus404) {
  answer(begin_session(), "405 Method Not Allowed", "", "");
  send("tools/call", "2", Version::v2025_11_25, "t");
  answer(next(), "404 Not Found", result("2"));
  until([&] { return !seen.messages.empty(); });
  EXPECT_EQ(seen.messages, Texts{"2|" + result("2")});
  for (const std::string& body :
       {std::string(R"({"id":3,"result":"the session"})"),
        std::string(R"({"id":3,"result":{"a":1,"a":"the session"}})"),
        std::string(R"({"id":3,"result":{},"error":null})"), "[" + result("3") + "]"}) {
    seen.messages.clear();
    send("tools/call", "3", Version::v2025_11_25, "t");
    answer(next(), "404 Not Found", body);
    until([&] { return !seen.messages.empty(); });
    EXPECT_EQ(seen.messages, Texts{"3|" + body});
  }
  EXPECT_EQ(seen.failures, Texts{});
  EXPECT_FALSE(seen.end);
}

TEST_F(HttpTransports, AForgottenSessionCanNameTheRequestThatItRefuses) {
  for (const std::string& body : session_errors("2")) {
    seen = {};
    answer(begin_session(), "405 Method Not Allowed", "", "");
    send("tools/call", "2", Version::v2025_11_25, "t");
    answer(next(), "404 Not Found", body);
    until([&] { return seen.end.has_value(); });
    EXPECT_EQ(seen.failures, Texts{"2|no|not_found"}) << body;
    EXPECT_EQ(seen.messages, Texts{}) << body;
    EXPECT_EQ(seen.end->kind, ErrorKind::NotFound);
  }
}

// The ids that the TypeScript and the Python SDK send.
TEST_F(HttpTransports, AForgottenSessionOfAnSdkNamesNoRequest) {
  for (const std::string id : {"null", R"("server-error")", R"("")"}) {
    const std::string body = error(id, id == "null" ? -32001 : -32600, kNoSession);
    for (const bool as_events : {false, true}) {
      seen = {};
      answer(begin_session(), "405 Method Not Allowed", "", "");
      send("tools/call", "2", Version::v2025_11_25, "t");
      if (as_events) {
        answer(next(), "404 Not Found", event(body), kEvents);
      } else {
        answer(next(), "404 Not Found", body);
      }
      until([&] { return seen.end.has_value(); });
      EXPECT_EQ(seen.failures, Texts{"2|no|not_found"}) << body;
      EXPECT_EQ(seen.messages, Texts{}) << body;
    }
  }
}

TEST_F(HttpTransports, AnAnswerWithStatus404IsReadAsEventsToo) {
  answer(begin_session(), "405 Method Not Allowed", "", "");
  const std::string progress = event(R"({"method":"notifications/progress"})");
  Texts expected;
  for (const std::string& body : {result("2"), error("2", -32601)}) {
    send("tools/call", "2", Version::v2025_11_25, "t");
    answer(next(), "404 Not Found", progress + event(body), kEvents);
    expected.push_back("2|" + body);
    until([&] { return seen.messages.size() == expected.size() || seen.end; });
    EXPECT_EQ(seen.messages, expected);
    EXPECT_EQ(seen.failures, Texts{});
    ASSERT_FALSE(seen.end);
  }
  send("tools/call", "2", Version::v2025_11_25, "t");
  answer(next(), "404 Not Found", event(error("2", -32603)), kEvents);
  until([&] { return seen.end.has_value(); });
  EXPECT_EQ(seen.messages.back(), "2|" + error("2", -32603));
  EXPECT_EQ(seen.failures, Texts{});
}

TEST_F(HttpTransports, EventsWithStatus404EndWithTheAnswerAlthoughTheyStayOpen) {
  answer(begin_session(), "405 Method Not Allowed", "", "");
  send("tools/call", "2", Version::v2025_11_25, "t");
  const Asked asked = next();
  server.write(asked.peer,
               "HTTP/1.1 404 Not Found\r\nContent-Type: text/event-stream\r\n"
               "Transfer-Encoding: chunked\r\n\r\n");
  chunk(asked, event(result("2")));
  until([&] { return seen.messages.size() == 1 && server.peers[asked.peer]->is_closed; });
  EXPECT_EQ(seen.messages, Texts{"2|" + result("2")});
  EXPECT_EQ(seen.failures, Texts{});
  EXPECT_FALSE(seen.end);
}

// Some servers write the id after the result.
TEST_F(HttpTransports, ALongResultWithStatus404IsTheAnswer) {
  message_bytes = 1 << 20;
  answer(begin_session(), "405 Method Not Allowed", "", "");
  const std::string body = R"({"result":{"a":")" + std::string(200'000, 'x') + R"("},"id":2})";
  send("tools/call", "2", Version::v2025_11_25, "t");
  answer(next(), "404 Not Found", body);
  until([&] { return !seen.messages.empty() || seen.end; });
  EXPECT_TRUE(seen.messages == Texts{"2|" + body});
  EXPECT_EQ(seen.failures, Texts{});
  EXPECT_FALSE(seen.end);
}

TEST_F(HttpTransports, AResponseWithStatus404ThatBreaksOffCanHaveBeenAnAnswer) {
  answer(begin_session(), "405 Method Not Allowed", "", "");
  send("tools/call", "2", Version::v2025_11_25, "t");
  const Asked asked = next();
  break_off(asked,
            "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n"
            "Content-Length: 100\r\n\r\n{\"result\":{");
  until([&] { return seen.end.has_value(); });
  EXPECT_EQ(seen.failures, Texts{"2|perhaps|not_found"});
  EXPECT_EQ(seen.end->kind, ErrorKind::NotFound);
}

TEST_F(HttpTransports, ARefusalThatBreaksOffCanHaveBeenAnAnswerWithoutASessionToo) {
  open();
  for (const std::string status : {"400 Bad Request", "404 Not Found"}) {
    seen.failures.clear();
    send("tools/call", "2", Version::v2026_07_28, "t");
    break_off(next(), "HTTP/1.1 " + status +
                          "\r\nContent-Type: application/json\r\n"
                          "Content-Length: 100\r\n\r\n{\"result\":{");
    until([&] { return seen.failures.size() == 1; });
    EXPECT_THAT(seen.failures, ElementsAre(StartsWith("2|perhaps|")));
  }
  EXPECT_FALSE(seen.end);
}

TEST_F(HttpTransports, AnErrorAboutTheSessionThatBreaksOffCanComeFromACallThatRan) {
  for (const std::string& text : cut_session_errors()) {
    seen = {};
    answer(begin_session(), "405 Method Not Allowed", "", "");
    send("tools/call", "2", Version::v2025_11_25, "t");
    break_off(next(), text);
    until([&] { return seen.end.has_value(); });
    EXPECT_EQ(seen.failures, Texts{"2|perhaps|not_found"}) << text;
    EXPECT_EQ(seen.messages, Texts{});
  }
}

TEST_F(HttpTransports, AResultThatIsNullBesideAnErrorIsNoResult) {
  const std::string error_alone = error("null", -32001, kNoSession);
  const std::string lost = error_alone.substr(0, error_alone.size() - 1) + R"(,"result":null})";
  answer(begin_session(), "405 Method Not Allowed", "", "");
  send("tools/call", "2", Version::v2025_11_25, "t");
  answer(next(), "404 Not Found", lost);
  until([&] { return seen.end.has_value(); });
  EXPECT_EQ(seen.failures, Texts{"2|no|not_found"});
}

TEST_F(HttpTransports, AnErrorAboutTheSessionAfterOtherMessagesComesFromACallThatRan) {
  const std::string lost = error("2", -32001, "browser session died");
  const std::string array = "[" + std::string(kProgress) + "," + lost + "]";
  const std::pair<std::string, std::string> bodies[] = {
      {event(kProgress) + event(lost), lost}, {event(array), array}, {array, array}};
  for (const auto& [body, message] : bodies) {
    const std::string headers = body == array ? "Content-Type: application/json\r\n" : kEvents;
    seen = {};
    answer(begin_session(), "405 Method Not Allowed", "", "");
    send("tools/call", "2", Version::v2025_11_25, "t");
    answer(next(), "404 Not Found", body, headers);
    until([&] { return seen.end.has_value(); });
    EXPECT_EQ(seen.failures, Texts{}) << body;
    EXPECT_EQ(seen.messages, Texts{"2|" + message});
    EXPECT_EQ(seen.named, Texts{"2 before message 1"});
  }
  // An event without data is no message.
  seen = {};
  answer(begin_session(), "405 Method Not Allowed", "", "");
  send("tools/call", "2", Version::v2025_11_25, "t");
  answer(next(), "404 Not Found", "id: 1\ndata:\n\n" + event(lost), kEvents);
  until([&] { return seen.end.has_value(); });
  EXPECT_EQ(seen.failures, Texts{"2|no|not_found"});
}

TEST_F(HttpTransports, ARefusalThatIsNoClearErrorCanComeFromACallThatRan) {
  message_bytes = 1 << 20;
  for (const std::string& refusal : unclear_refusals()) {
    const std::size_t bar = refusal.find('|');
    for (const std::string status : {"400 Bad Request", "404 Not Found"}) {
      seen = {};
      answer(begin_session(), "405 Method Not Allowed", "", "");
      send("tools/call", "2", Version::v2025_11_25, "t");
      answer(next(), status, refusal.substr(bar + 1), refusal.substr(0, bar));
      until([&] { return seen.failures.size() == 1 || seen.messages.size() == 1; });
      EXPECT_EQ(seen.messages, Texts{}) << refusal;
      EXPECT_THAT(seen.failures, ElementsAre(StartsWith("2|perhaps|"))) << status << refusal;
      if (status.starts_with("404")) until([&] { return seen.end.has_value(); });
    }
  }
  seen = {};
  open();
  send("tools/call", "2", Version::v2026_07_28, "t");
  answer(next(), "404 Not Found", event(kProgress), kEvents);
  until([&] { return seen.failures.size() == 1; });
  EXPECT_THAT(seen.failures, ElementsAre(StartsWith("2|perhaps|")));
}

// A notification has no answer for which the rest of the response would be needed.
TEST_F(HttpTransports, ARefusalOfANotificationEndsAlthoughItsEventsDoNot) {
  answer(begin_session(), "405 Method Not Allowed", "", "");
  send("notifications/roots/list_changed", "", Version::v2025_11_25);
  const Asked asked = next();
  begin_events(asked, "404 Not Found");
  for (int i = 0; i < 100; ++i) chunk(asked, event(std::string(900, 'x')));
  until([&] { return seen.end.has_value(); });
  EXPECT_EQ(seen.end->kind, ErrorKind::NotFound);
  until([&] { return server.peers[asked.peer]->is_closed; });
}

TEST_F(HttpTransports, ARefusalOfAnAnswerToAQuestionEndsAlthoughItsEventsDoNot) {
  for (const HttpKind kind : {HttpKind::Streamable, HttpKind::Sse}) {
    seen = {};
    if (kind == HttpKind::Sse) {
      open(kind);
      stream(next(), "event: endpoint\ndata: /messages\n\n");
    } else {
      answer(begin_session(), "405 Method Not Allowed", "", "");
      send("tools/call", "2", Version::v2025_11_25, "t");
      stream(next(), "data: {\"id\":7,\"method\":\"elicitation/create\"}\n\n");
      until([&] { return seen.messages.size() == 1; });
    }
    send_answer("7", "2");
    const Asked asked = next();
    begin_events(asked, "404 Not Found");
    for (int i = 0; i < 100; ++i) chunk(asked, event(std::string(900, 'x')));
    until([&] { return seen.end.has_value(); });
    const bool is_sse = kind == HttpKind::Sse;
    EXPECT_EQ(seen.failures, is_sse ? Texts{} : Texts{"2|perhaps|not_found"});
    EXPECT_EQ(seen.end->kind, ErrorKind::NotFound);
    until([&] { return server.peers[asked.peer]->is_closed; });
  }
}

// As for the operations of an HTTP API.
TEST_F(HttpTransports, OnlyARefusalThatCanBeAnAnswerIsReadWhole) {
  open();
  HttpUpstream upstream;
  upstream.url = server.origin() + "/mcp";
  for (const bool as_events : {false, true}) {
    std::optional<Exchange::Outcome> ended;
    Exchange::Handlers handlers;
    handlers.event = [](const ServerEvent&) {};
    handlers.text = [](std::string_view) {};
    handlers.end = [&](Exchange::Outcome outcome) { ended = std::move(outcome); };
    const auto exchange =
        Exchange::begin(io.get_executor(), *gate, request_to(upstream, "GET", upstream.url),
                        {100'000, upstream.budget, {}, nullptr}, handlers);
    const Asked asked = next();
    if (as_events) {
      begin_events(asked, "502 Bad Gateway");
      for (int i = 0; i < 100; ++i) chunk(asked, event(std::string(900, 'x')));
    } else {
      answer(asked, "502 Bad Gateway", R"({"detail":")" + std::string(200'000, 'x') + R"("})");
    }
    until([&] { return ended.has_value(); });
    EXPECT_EQ(ended->status, 502);
    EXPECT_FALSE(ended->error);
    EXPECT_EQ(ended->refusal.size(), 64u << 10u);
  }
}

TEST_F(HttpTransports, AnAnswerCanBeginWithWhiteSpaceOrAByteOrderMark) {
  message_bytes = 1 << 20;
  answer(begin_session(), "405 Method Not Allowed", "", "");
  const std::string mark = "\xef\xbb\xbf";
  const std::string many = "[" + std::string(kProgress) + "," + result("2") + "]";
  for (const std::string status : {"404 Not Found", "400 Bad Request", "200 OK"}) {
    for (const std::string& before : {std::string("\n "), mark, mark + "\r\n"}) {
      for (const std::string& body : {many, result("2")}) {
        seen.messages.clear();
        send("tools/call", "2", Version::v2025_11_25, "t");
        answer(next(), status, before + body);
        until([&] { return seen.messages.size() == 1 || seen.failures.size() == 1 || seen.end; });
        EXPECT_EQ(seen.messages, Texts{"2|" + body});
        ASSERT_EQ(seen.failures, Texts{});
        ASSERT_FALSE(seen.end);
      }
    }
  }
  // Its first pieces do not show that it is JSON.
  const std::string body = R"({"result":{"a":")" + std::string(200'000, 'x') + R"("},"id":2})";
  send("tools/call", "2", Version::v2025_11_25, "t");
  const Asked asked = next();
  const std::string head =
      "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n"
      "Transfer-Encoding: chunked\r\n\r\n";
  const std::size_t with_head = server.written + head.size();
  server.write(asked.peer, head);
  until([&] { return server.written >= with_head; });
  for (const std::string& piece : {mark.substr(0, 1), mark.substr(1), std::string("  "), body}) {
    const std::size_t whole = server.written + 5 + piece.size();
    chunk(asked, piece);
    until([&] { return server.written >= whole; });
    io.restart();
    io.poll();
  }
  end_stream(asked);
  until([&] { return seen.messages.size() == 2 || seen.end; });
  EXPECT_TRUE(seen.messages.back() == "2|" + body);
  EXPECT_EQ(seen.failures, Texts{});
}

// The owner of a call that may be repeated sends it again.
TEST_F(HttpTransports, AnAnswerThatNamesALostSessionSaysSo) {
  const std::pair<std::string, std::string> answers_of_servers[] = {
      {"404 Not Found", error("2", -32600, "Invalid or expired session")},
      {"400 Bad Request", error("2", -32000, "Bad Request: No valid session ID provided")},
      {"404 Not Found", error("2", -32603)}};
  for (const auto& [status, body] : answers_of_servers) {
    const Texts named = body == error("2", -32603) ? Texts{} : Texts{"2 before message 1"};
    seen = {};
    answer(begin_session(), "405 Method Not Allowed", "", "");
    send("tools/call", "2", Version::v2025_11_25, "t");
    answer(next(), status, body);
    until([&] { return seen.end.has_value(); });
    EXPECT_EQ(seen.messages, Texts{"2|" + body});
    EXPECT_EQ(seen.named, named) << body;
    seen = {};
    open(HttpKind::Sse);
    stream(next(), "event: endpoint\ndata: /messages\n\n");
    send("tools/call", "2", Version::v2024_11_05, "t");
    answer(next(), status, body);
    until([&] { return seen.end.has_value(); });
    EXPECT_EQ(seen.messages, Texts{"2|" + body});
    EXPECT_EQ(seen.named, named) << body;
  }
}

// The server can have acted on the message, so only the session is begun again.
TEST_F(HttpTransports, AForgottenSessionWithStatus400CanNameTheRequestThatItRefuses) {
  answer(begin_session(), "405 Method Not Allowed", "", "");
  const std::string other = error("2", -32000, "You lost possession of the lock");
  send("tools/call", "2", Version::v2025_11_25, "t");
  answer(next(), "400 Bad Request", other);
  until([&] { return seen.messages.size() == 1; });
  EXPECT_FALSE(seen.end);
  const std::string body = error("2", -32000, "Bad Request: No valid session ID provided");
  send("tools/call", "2", Version::v2025_11_25, "t");
  answer(next(), "400 Bad Request", body);
  until([&] { return seen.end.has_value(); });
  EXPECT_EQ(seen.messages, (Texts{"2|" + other, "2|" + body}));
  EXPECT_EQ(seen.failures, Texts{});
}

TEST_F(HttpTransports, OnlyTheWordSessionInAResponseWithStatus400IsAForgottenSession) {
  answer(begin_session(), "405 Method Not Allowed", "", "");
  send("tools/call", "2", Version::v2025_11_25, "t");
  answer(next(), "400 Bad Request", error("null", -32602, "the obsession is not valid"));
  until([&] { return seen.failures.size() == 1 || seen.end; });
  EXPECT_EQ(seen.failures, Texts{"2|no|invalid_argument"});
  EXPECT_FALSE(seen.end);
  send("tools/call", "3", Version::v2025_11_25, "t");
  answer(next(), "400 Bad Request", error("null", -32602, "UnknownSession"));
  until([&] { return seen.end.has_value(); });
  EXPECT_EQ(seen.failures.back(), "3|no|not_found");
}

// The server can have carried out the call, and it can have forgotten the session.
TEST_F(HttpTransports, AnyOtherErrorWithStatus404IsTheAnswerAndEndsTheSession) {
  for (const std::string& body : other_errors("2")) {
    seen = {};
    answer(begin_session(), "405 Method Not Allowed", "", "");
    send("tools/call", "2", Version::v2025_11_25, "t");
    answer(next(), "404 Not Found", body);
    until([&] { return seen.end.has_value(); });
    EXPECT_EQ(seen.failures, Texts{}) << body;
    EXPECT_EQ(seen.messages, Texts{"2|" + body});
    EXPECT_EQ(seen.end->kind, ErrorKind::NotFound);
  }
}

TEST_F(HttpTransports, AnErrorAboutTheRequestItselfIsTheAnswerEvenWithStatus404) {
  answer(begin_session(), "405 Method Not Allowed", "", "");
  Texts expected;
  for (const int code : {-32601, -32602, -32002, -32042}) {
    const std::string id = std::to_string(-code);
    send("resources/read", id, Version::v2025_11_25, "a:b");
    answer(next(), "404 Not Found", error(id, code));
    expected.push_back(id + "|" + error(id, code));
    until([&] { return seen.messages.size() == expected.size(); });
  }
  EXPECT_EQ(seen.messages, expected);
  EXPECT_EQ(seen.failures, Texts{});
  EXPECT_FALSE(seen.end);
}

TEST_F(HttpTransports, WithoutASessionAnErrorWithStatus404IsTheAnswer) {
  open();
  send("initialize", "1");
  answer(next(), "200 OK", result("1"));
  until([&] { return seen.messages.size() == 1; });
  send("tools/call", "2", Version::v2025_11_25, "t");
  answer(next(), "404 Not Found", error("2", -32001));
  until([&] { return seen.messages.size() == 2; });
  EXPECT_EQ(seen.messages.back(), "2|" + error("2", -32001));
  EXPECT_EQ(seen.failures, Texts{});
  EXPECT_FALSE(seen.end);
}

TEST_F(HttpTransports, ARequestThatIsSentWithoutTheSessionSaysNothingOfTheSession) {
  answer(begin_session(), "405 Method Not Allowed", "", "");
  send("tools/call", "2", Version::v2026_07_28, "t");
  answer(next(), "404 Not Found", error("2", -32001));
  until([&] { return seen.messages.size() == 1 || seen.end; });
  EXPECT_EQ(seen.messages, Texts{"2|" + error("2", -32001)});
  EXPECT_EQ(seen.failures, Texts{});
  EXPECT_FALSE(seen.end);
}

// The upstream will never get the answer that it waits for.
TEST_F(HttpTransports, ACallWhoseAnswerMeetsAForgottenSessionEnds) {
  answer(begin_session(), "405 Method Not Allowed", "", "");
  send("tools/call", "2", Version::v2025_11_25, "t");
  const Asked asks = next();
  stream(asks, "data: {\"id\":7,\"method\":\"elicitation/create\"}\n\n");
  until([&] { return seen.messages.size() == 1; });
  send_answer("7", "2");
  answer(next(), "404 Not Found", error("null", -32001));
  until([&] { return seen.end.has_value(); });
  EXPECT_EQ(seen.failures, Texts{"2|perhaps|not_found"});
  EXPECT_EQ(seen.end->kind, ErrorKind::NotFound);
}

TEST_F(HttpTransports, AnErrorAboutAnAnswerToAQuestionIsNoForgottenSession) {
  answer(begin_session(), "405 Method Not Allowed", "", "");
  send("tools/call", "2", Version::v2025_11_25, "t");
  const Asked asks = next();
  stream(asks, "data: {\"id\":7,\"method\":\"elicitation/create\"}\n\n");
  until([&] { return seen.messages.size() == 1; });
  for (const std::string id : {"7", R"("q")"}) {
    send_answer(id, "2");
    answer(next(), "404 Not Found", error(id, -32602));
  }
  send("tools/call", "3", Version::v2025_11_25, "t");
  answer(next(), "200 OK", result("3"));
  until([&] { return seen.messages.size() == 2 || seen.end; });
  EXPECT_EQ(seen.messages.back(), "3|" + result("3"));
  EXPECT_EQ(seen.failures, Texts{});
  send_answer("7", "2");
  answer(next(), "404 Not Found", error("7", -32603));
  until([&] { return seen.end.has_value(); });
  EXPECT_EQ(seen.failures, Texts{"2|perhaps|not_found"});
  EXPECT_EQ(seen.messages.size(), 2u);
}

TEST_F(HttpTransports, AnAnswerThatIsRefusedAfterTheSessionWasForgottenEndsItsCall) {
  for (const std::string status : {"400 Bad Request", "404 Not Found", "502 Bad Gateway"}) {
    seen = {};
    answer(begin_session(), "405 Method Not Allowed", "", "");
    send("tools/call", "2", Version::v2025_11_25, "t");
    stream(next(), "data: {\"id\":7,\"method\":\"elicitation/create\"}\n\n");
    until([&] { return seen.messages.size() == 1; });
    send_answer("7", "2");
    const Asked reply = next();
    send("tools/call", "3", Version::v2025_11_25, "t");
    answer(next(), "404 Not Found", "", "");
    until([&] { return seen.left.has_value(); });
    EXPECT_FALSE(seen.end);
    answer(reply, status, status.starts_with("404") ? error("7", -32602) : "");
    until([&] { return seen.end.has_value(); });
    EXPECT_EQ(seen.failures, (Texts{"3|no|not_found", "2|perhaps|not_found"})) << status;
  }
}

TEST_F(HttpTransports, AnAnswerThatNeverLeftBeforeTheSessionWasForgottenEndsItsCall) {
  authorizer = std::make_shared<FakeAuthorizer>(io);
  answer(begin_session(), "405 Method Not Allowed", "", "");
  send("tools/call", "2", Version::v2025_11_25, "t");
  stream(next(), "data: {\"id\":7,\"method\":\"elicitation/create\"}\n\n");
  send("tools/call", "3", Version::v2025_11_25, "t");
  const Asked unknown = next();
  until([&] { return seen.messages.size() == 1; });
  authorizer->holds = true;
  send_answer("7", "2");
  until([&] { return !authorizer->held.empty(); });
  answer(unknown, "404 Not Found", "", "");
  until([&] { return seen.left.has_value(); });
  authorizer->held[0](Error{ErrorKind::Io, "no connection could be made"});
  until([&] { return seen.end.has_value(); });
  EXPECT_EQ(seen.failures, (Texts{"3|no|not_found", "2|perhaps|not_found"}));
}

TEST_F(HttpTransports, AnAnswerThatWaitsForItsSecondTryEndsItsCallWithTheForgottenSession) {
  authorizer = std::make_shared<FakeAuthorizer>(io);
  answer(begin_session(), "405 Method Not Allowed", "", "");
  send("tools/call", "2", Version::v2025_11_25, "t");
  stream(next(), "data: {\"id\":7,\"method\":\"elicitation/create\"}\n\n");
  send("tools/call", "3", Version::v2025_11_25, "t");
  const Asked unknown = next();
  until([&] { return seen.messages.size() == 1; });
  const Error why{ErrorKind::Io, "no connection could be made"};
  authorizer->fault = why;
  const int before = authorizer->asked;
  send_answer("7", "2");
  until([&] { return authorizer->asked > before; });
  io.restart();
  io.poll();
  authorizer->holds = true;  // a second try before the loss changes nothing
  answer(unknown, "404 Not Found", "", "");
  until([&] { return seen.left || seen.end; });
  for (const auto& done : authorizer->held) done(why);
  until([&] { return seen.end.has_value(); });
  EXPECT_THAT(seen.failures,
              ::testing::UnorderedElementsAre("3|no|not_found", "2|perhaps|not_found"));
}

TEST_F(HttpTransports, OnlyTheCallsWhoseAnswersAreLostEndWithAForgottenSession) {
  answer(begin_session(), "405 Method Not Allowed", "", "");
  send("tools/call", "2", Version::v2025_11_25, "t");
  const Asked asks = next();
  stream(asks, "data: {\"id\":7,\"method\":\"elicitation/create\"}\n\n");
  send("tools/call", "3", Version::v2025_11_25, "t");
  const Asked open_one = next();
  stream(open_one, "data: {\"id\":8,\"method\":\"elicitation/create\"}\n\n");
  send("tools/call", "4", Version::v2025_11_25, "t");
  const Asked unknown = next();
  until([&] { return seen.messages.size() == 2; });
  send_answer("8", "3");
  answer(next(), "202 Accepted", "", "");
  answer(unknown, "404 Not Found", "", "");
  until([&] { return seen.left.has_value(); });
  EXPECT_EQ(seen.failures, Texts{"4|no|not_found"});
  send_answer("7", "2");  // no request is made for it
  until([&] { return seen.failures.size() == 2; });
  EXPECT_EQ(seen.failures[1], "2|perhaps|not_found");
  until([&] { return server.peers[asks.peer]->is_closed; });
  EXPECT_FALSE(seen.end);
  chunk(open_one, "data: " + result("3") + "\n\n");
  until([&] { return seen.end.has_value(); });
  EXPECT_EQ(seen.messages.back(), "3|" + result("3"));
}

// As the examples of the TypeScript SDK say it, and server-everything.
TEST_F(HttpTransports, ASessionIsForgottenWithStatus400Too) {
  answer(begin_session(), "405 Method Not Allowed", "", "");
  send("tools/call", "2", Version::v2025_11_25, "t");
  answer(next(), "400 Bad Request",
         R"({"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request"},"id":null})");
  until([&] { return seen.end.has_value(); });
  EXPECT_EQ(seen.failures, Texts{"2|no|not_found"});
  EXPECT_EQ(seen.end->kind, ErrorKind::NotFound);
}

TEST_F(HttpTransports, AnyOther400IsOfItsRequestAlone) {
  answer(begin_session(), "405 Method Not Allowed", "", "");
  const std::string error = R"({"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"m"}})";
  send("tools/call", "2", Version::v2025_11_25, "t");
  answer(next(), "400 Bad Request", "<html>no such thing</html>", "");
  until([&] { return seen.failures.size() == 1; });
  send("tools/call", "3", Version::v2025_11_25, "t");
  answer(next(), "400 Bad Request", error);
  until([&] { return seen.messages.size() == 1; });
  EXPECT_EQ(seen.failures, Texts{"2|no|invalid_argument"});
  EXPECT_EQ(seen.messages, Texts{"3|" + error});
  EXPECT_FALSE(seen.end);
}

TEST_F(HttpTransports, ResponsesThatStayOpenAfterTheirAnswersAreClosed) {
  answer(begin_session(), "405 Method Not Allowed", "", "");
  std::vector<std::size_t> open;
  for (int call = 2; call < 14; ++call) {
    const std::string id = std::to_string(call);
    send("tools/call", id, Version::v2025_11_25, "t");
    const Asked asked = next();
    open.push_back(asked.peer);
    stream(asked, "data: " + result(id) + "\n\n");
    until([&] { return seen.messages.size() == open.size(); });
  }
  until([&] { return server.peers[open[0]]->is_closed; });
  until([&] {
    return std::all_of(open.begin(), open.end(),
                       [&](std::size_t peer) { return server.peers[peer]->is_closed; });
  });
  EXPECT_TRUE(seen.failures.empty());
}

// As a server of 2025-03-26 may send them.
TEST_F(HttpTransports, AnArrayWithoutTheAnswerDoesNotEndItsRequest) {
  answer(begin_session(), "405 Method Not Allowed", "", "");
  const std::string progress = R"([{"method":"notifications/progress"}])";
  send("tools/call", "2", Version::v2025_03_26, "t");
  const Asked slow = next();
  stream(slow, "data: " + progress + "\n\n");
  send("tools/call", "3", Version::v2025_03_26, "t");
  const Asked other = next();
  stream(other, "data: [" + result("3") + "]\n\n");
  until([&] { return server.peers[other.peer]->is_closed; });  // it has its answer
  chunk(slow, "data: " + result("2") + "\n\n");
  until([&] { return seen.messages.size() == 3; });
  EXPECT_EQ(seen.messages.back(), "2|" + result("2"));
  send("tools/call", "4", Version::v2025_03_26, "t");
  answer(next(), "200 OK", progress);
  until([&] { return !seen.failures.empty(); });
  EXPECT_EQ(seen.failures, Texts{"4|perhaps|io"});
}

TEST_F(HttpTransports, AnArrayThatIsTooLongToBeLookedThroughEndsItsRequest) {
  message_bytes = 200'000;
  answer(begin_session(), "405 Method Not Allowed", "", "");
  send("tools/call", "2", Version::v2025_03_26, "t");
  const Asked asked = next();
  stream(asked, "data: [" + std::string(70'000, ' ') + result("2") + "]\n\n");
  until([&] { return seen.messages.size() == 1; });
  until([&] { return server.peers[asked.peer]->is_closed; });
  EXPECT_TRUE(seen.failures.empty());
}

TEST_F(HttpTransports, AResponseThatBreaksOffAfterAnArrayWithoutTheAnswerIsContinued) {
  answer(begin_session(), "405 Method Not Allowed", "", "");
  send("tools/call", "2", Version::v2025_03_26, "t");
  const Asked asked = next();
  stream(asked, "id: e1\nretry: 60\ndata: [{\"method\":\"notifications/progress\"}]\n\n");
  end_stream(asked);
  Asked again;
  until([&] { return take(again) || !seen.failures.empty(); });
  ASSERT_EQ(seen.failures, Texts{});
  EXPECT_TRUE(again.has("Last-Event-ID: e1"));
  stream(again, "id: e2\ndata: " + result("2") + "\n\n");
  until([&] { return seen.messages.size() == 2; });
  EXPECT_EQ(seen.messages.back(), "2|" + result("2"));
}

TEST_F(HttpTransports, AContinuedInitializeKeepsItsSession) {
  open();
  send("initialize", "1");
  const Asked hello = next();
  server.write(hello.peer,
               "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nMcp-Session-Id: s1\r\n"
               "Transfer-Encoding: chunked\r\n\r\n");
  chunk(hello, "id: e1\nretry: 60\ndata:\n\n");
  end_stream(hello);
  const Asked again = next();
  EXPECT_TRUE(again.has("Mcp-Session-Id: s1"));
  stream(again, "data: " + result("1") + "\n\n");
  end_stream(again);
  until([&] { return seen.messages.size() == 1; });
  send("notifications/initialized", "", Version::v2025_11_25);
  EXPECT_TRUE(next().has("Mcp-Session-Id: s1"));
}

TEST_F(HttpTransports, AConnectionThatCannotBeMadeCostsItsRequestAlone) {
  const Asked standing = begin_session();
  stream(standing, ": hello\n\n");
  send("tools/call", "2", Version::v2025_11_25, "t");
  const Asked asked = next();
  stream(asked, ": working\n\n");
  server.accept_no_more();
  for (std::size_t i = 0; i < server.peers.size(); ++i) {
    if (i != asked.peer && i != standing.peer) server.peers[i]->socket.close();
  }
  send("tools/call", "3", Version::v2025_11_25, "t");
  until([&] { return !seen.failures.empty(); });
  EXPECT_EQ(seen.failures, Texts{"3|no|io"});
  EXPECT_FALSE(seen.end);
  chunk(asked, "data: " + result("2") + "\n\n");
  until([&] { return !seen.messages.empty(); });
  EXPECT_EQ(seen.messages, Texts{"2|" + result("2")});
}

TEST_F(HttpTransports, AResponseThatBreaksOffIsContinuedAfterItsLastEvent) {
  answer(begin_session(), "405 Method Not Allowed", "", "");
  send("tools/call", "2", Version::v2025_11_25, "t");
  const Asked asked = next();
  stream(asked, "id: e1\nretry: 60\ndata:\n\n");
  end_stream(asked);
  const Asked again = next();
  EXPECT_TRUE(again.begins("GET /mcp "));
  EXPECT_TRUE(again.has("Last-Event-ID: e1"));
  EXPECT_TRUE(again.has("Mcp-Session-Id: s1"));
  stream(again, "id: e2\ndata: " + result("2") + "\n\n");
  end_stream(again);
  until([&] { return !seen.messages.empty(); });
  EXPECT_EQ(seen.messages, Texts{"2|" + result("2")});
  EXPECT_TRUE(seen.failures.empty());
}

TEST_F(HttpTransports, AResponseThatCannotBeContinuedFailsAndIsNotSentAgain) {
  answer(begin_session(), "405 Method Not Allowed", "", "");
  send("tools/call", "2", Version::v2025_11_25, "t");
  const Asked asked = next();
  stream(asked, "data: {\"method\":\"notifications/progress\"}\n\n");
  server.peers[asked.peer]->socket.close();
  until([&] { return !seen.failures.empty(); });
  EXPECT_EQ(seen.failures, Texts{"2|perhaps|io"});
  Asked more;
  EXPECT_FALSE(take(more));
}

TEST_F(HttpTransports, ACancelledLegacyRequestIsToldOf) {
  answer(begin_session(), "405 Method Not Allowed", "", "");
  send("tools/call", "2", Version::v2025_11_25, "t");
  const Asked asked = next();
  stream(asked, ": working\n\n");
  transport->cancel("2", R"({"method":"notifications/cancelled"})");
  EXPECT_EQ(next().body, R"({"method":"notifications/cancelled"})");
}

TEST_F(HttpTransports, TheStandingStreamIsOpenedAgainWhereItEnded) {
  const Asked standing = begin_session();
  stream(standing, "id: g1\nretry: 60\ndata: {\"method\":\"x\"}\n\n");
  end_stream(standing);
  const Asked again = next();
  EXPECT_TRUE(again.begins("GET /mcp "));
  EXPECT_TRUE(again.has("Last-Event-ID: g1"));
}

TEST_F(HttpTransports, TheStandingStreamComesBackAfterAnOutageAndTheGapIsTold) {
  const Asked standing = begin_session();
  stream(standing, "retry: 60\ndata: {\"method\":\"x\"}\n\n");
  until([&] { return seen.messages.size() == 1; });
  EXPECT_EQ(seen.gaps, 0);
  end_stream(standing);
  answer(next(), "503 Service Unavailable", "try later", "");
  answer(next(), "429 Too Many Requests", "", "");
  answer(next(), "401 Unauthorized", "", "");
  const Asked again = next();
  EXPECT_TRUE(again.begins("GET /mcp "));
  stream(again, ": back\n\n");
  until([&] { return seen.gaps == 1; });
  EXPECT_FALSE(seen.end);
}

TEST_F(HttpTransports, ASessionWhoseServerIsGoneEndsWithItsConnection) {
  const Asked standing = begin_session();
  stream(standing, "retry: 60\ndata: {\"method\":\"x\"}\n\n");
  until([&] { return seen.messages.size() == 1; });
  send("tools/call", "2", Version::v2025_11_25, "t");
  const Asked asked = next();  // its response has not begun
  server.accept_no_more();
  for (std::size_t i = 0; i < server.peers.size(); ++i) {
    if (i != asked.peer) server.peers[i]->socket.close();
  }
  until([&] { return seen.end.has_value(); });
  EXPECT_EQ(seen.end->kind, ErrorKind::Unavailable);
}

TEST_F(HttpTransports, AnAnswerToAQuestionIsSentAgainIfItsConnectionCannotBeMade) {
  authorizer = std::make_shared<FakeAuthorizer>(io);
  answer(begin_session(), "405 Method Not Allowed", "", "");
  send("tools/call", "2", Version::v2025_11_25, "t");
  const Asked asked = next();
  stream(asked, R"(data: {"id":"q","method":"elicitation/create"})"
                "\n\n");
  until([&] { return seen.messages.size() == 1; });
  authorizer->fault = Error{ErrorKind::Io, "no connection could be made"};
  const int before = authorizer->asked;
  Outgoing message;
  message.text = R"({"id":"q","result":{}})";
  message.id = "\"q\"";
  message.version = Version::v2025_11_25;
  transport->send(std::move(message));
  until([&] { return authorizer->asked > before; });
  authorizer->fault.reset();
  EXPECT_EQ(next().body, R"({"id":"q","result":{}})");
}

TEST_F(HttpTransports, AFarewellThatIsNeverAnsweredWholeEndsTheConnection) {
  answer(begin_session(), "405 Method Not Allowed", "", "");
  transport->close();
  const Asked farewell = next();
  EXPECT_TRUE(farewell.begins("DELETE /mcp "));
  stream(farewell, ": still here\n\n");
  until([&] { return seen.end.has_value(); });
}

TEST_F(HttpTransports, AnInitializedThatStaysOpenBlocksNothing) {
  open();
  send("initialize", "1");
  answer(next(), "200 OK", result("1"));
  until([&] { return seen.messages.size() == 1; });
  send("notifications/initialized", "", Version::v2025_06_18);
  send("tools/list", "2", Version::v2025_06_18);
  const Asked initialized = next();
  stream(initialized, ": never ends\n\n");
  EXPECT_EQ(next().body, R"({"method":"tools/list"})");
  until([&] { return server.peers[initialized.peer]->is_closed; });
}

TEST_F(HttpTransports, EventsThatArrivedBeforeAPauseWaitTooAndSoDoesTheEnd) {
  open();
  send("tools/call", "7", Version::v2026_07_28, "t");
  std::size_t most = 0;
  std::size_t since_pause = 0;
  seen.after_message = [&] {
    most = std::max(most, ++since_pause);
    transport->pause_reading(std::chrono::milliseconds(1));
    boost::asio::post(io, [&] { since_pause = 0; });
  };
  const Asked asked = next();
  stream(asked, "data: 1\n\ndata: 2\n\ndata: 3\n\ndata: 4\n\n");
  end_stream(asked);
  until([&] { return !seen.failures.empty(); });
  EXPECT_EQ(seen.messages, (Texts{"7|1", "7|2", "7|3", "7|4"}));
  EXPECT_EQ(most, 1u);
  EXPECT_EQ(seen.failures, Texts{"7|perhaps|io"});
}

TEST_F(HttpTransports, MessagesThatAreNotWholeHaveALimitTogether) {
  budget = std::make_shared<Budget>(0, 1500);
  open();
  for (const char* id : {"1", "2"}) {
    send("tools/call", id, Version::v2026_07_28, "t");
    stream(next(), "data: " + std::string(900, 'x'));
  }
  until([&] { return !seen.failures.empty(); });
  EXPECT_EQ(seen.failures, Texts{"2|perhaps|io"});
}

TEST_F(HttpTransports, AMessageOverTheLimitFailsItsRequest) {
  open();
  const std::string large(2000, 'x');
  send("tools/call", "1", Version::v2026_07_28, "t");
  answer(next(), "200 OK", "\"" + large + "\"");
  until([&] { return seen.failures.size() == 1; });
  send("tools/call", "2", Version::v2026_07_28, "t");
  stream(next(), "data: " + large + "\n\n");
  until([&] { return seen.failures.size() == 2; });
  EXPECT_EQ(seen.failures, (Texts{"1|perhaps|io", "2|perhaps|io"}));
  EXPECT_TRUE(seen.messages.empty());
}

// ---- 2024-11-05

TEST_F(HttpTransports, AnOlderServerNamesTheUrlForMessages) {
  open(HttpKind::Sse);
  send("initialize", "1");
  const Asked get = next();
  EXPECT_TRUE(get.begins("GET /mcp "));
  stream(get, "event: endpoint\ndata: /messages?sessionId=5\n\n");
  const Asked post = next();
  EXPECT_TRUE(post.begins("POST /messages?sessionId=5 "));
  EXPECT_TRUE(post.has("Authorization: Bearer ours"));
  answer(post, "202 Accepted", "Accepted", "");
  chunk(get, "event: message\ndata: " + result("1") + "\n\n");
  until([&] { return !seen.messages.empty(); });
  EXPECT_EQ(seen.messages, Texts{"|" + result("1")});
  end_stream(get);
  until([&] { return seen.end.has_value(); });
  EXPECT_EQ(seen.end->kind, ErrorKind::Unavailable);
}

// As servers of the SDK for Java do.
TEST_F(HttpTransports, AnOlderServerMayAnswerThePostOfACallWhenItHasCarriedOutTheCall) {
  short_answer = std::chrono::milliseconds(500);
  open(HttpKind::Sse);
  const Asked get = next();
  stream(get, "event: endpoint\ndata: /messages\n\n");
  send("tools/call", "2", Version::v2024_11_05, "t");
  const Asked call = next();
  send("tools/call", "3", Version::v2024_11_05, "t");
  const Asked cancelled = next();
  send("notifications/initialized", "", Version::v2024_11_05);
  const Asked notification = next();
  until([&] { return server.peers[notification.peer]->is_closed; });
  EXPECT_FALSE(server.peers[call.peer]->is_closed);
  chunk(get, "data: " + result("2") + "\n\n");
  until([&] { return server.peers[call.peer]->is_closed; });
  EXPECT_EQ(seen.messages, Texts{"|" + result("2")});
  EXPECT_FALSE(server.peers[cancelled.peer]->is_closed);
  transport->cancel("3", R"({"method":"notifications/cancelled"})");
  until([&] { return server.peers[cancelled.peer]->is_closed; });
  EXPECT_EQ(next().body, R"({"method":"notifications/cancelled"})");
  EXPECT_EQ(seen.failures, Texts{});
}

// A call is sent again only if the server says that it does not know the session.
TEST_F(HttpTransports, AnOlderServerForgetsItsSessionIfItSaysSo) {
  const std::string error = R"({"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"m"}})";
  const std::pair<std::string, std::string> unknown[] = {
      {"404 Not Found", "Could not find session"},
      {"404 Not Found", R"({"jsonrpc":"2.0","id":9,"error":{"code":-1,"message":"m"}})"},
      {"404 Not Found", HttpTransports::error("4", -32001, kNoSession)},
      {"404 Not Found", HttpTransports::error(R"("server-error")", -32600, kNoSession)},
      {"410 Gone", ""},
      {"400 Bad Request", "No transport found for sessionId"},
      {"400 Bad Request",
       R"({"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request"},"id":null})"}};
  for (const auto& [status, body] : unknown) {
    seen.failures.clear();
    seen.messages.clear();
    seen.end.reset();
    open(HttpKind::Sse);
    stream(next(), "event: endpoint\ndata: /messages\n\n");
    send("tools/call", "2", Version::v2024_11_05, "t");
    answer(next(), "400 Bad Request", "x", "");
    until([&] { return seen.failures.size() == 1; });
    send("tools/call", "3", Version::v2024_11_05, "t");
    answer(next(), "400 Bad Request", error);
    until([&] { return seen.messages.size() == 1; });
    EXPECT_EQ(seen.messages, Texts{"3|" + error});
    EXPECT_FALSE(seen.end) << body;
    send("tools/call", "4", Version::v2024_11_05, "t");
    answer(next(), status, body, "");
    until([&] { return seen.end.has_value(); });
    EXPECT_EQ(seen.end->kind, ErrorKind::NotFound) << body;
    EXPECT_EQ(seen.failures, (Texts{"2|no|invalid_argument", "4|no|not_found"})) << body;
  }
}

TEST_F(HttpTransports, AnOlderServerCanNameTheRequestInAForgottenSession) {
  for (const std::string& body : session_errors("2")) {
    for (const std::string status : {"404 Not Found", "410 Gone"}) {
      seen = {};
      open(HttpKind::Sse);
      stream(next(), "event: endpoint\ndata: /messages\n\n");
      send("tools/call", "2", Version::v2024_11_05, "t");
      answer(next(), status, body);
      until([&] { return seen.end.has_value(); });
      EXPECT_EQ(seen.failures, Texts{"2|no|not_found"}) << body;
      EXPECT_EQ(seen.messages, Texts{}) << body;
    }
  }
}

TEST_F(HttpTransports, AnyOtherErrorOfAnOlderServerIsTheAnswerAndEndsTheSession) {
  for (const std::string& body : other_errors("2")) {
    for (const std::string status : {"404 Not Found", "410 Gone"}) {
      seen = {};
      open(HttpKind::Sse);
      stream(next(), "event: endpoint\ndata: /messages\n\n");
      send("tools/call", "2", Version::v2024_11_05, "t");
      answer(next(), status, body);
      until([&] { return seen.end.has_value(); });
      EXPECT_EQ(seen.failures, Texts{}) << body;
      EXPECT_EQ(seen.messages, Texts{"2|" + body});
      EXPECT_EQ(seen.end->kind, ErrorKind::NotFound);
    }
  }
}

TEST_F(HttpTransports, AnOlderServersAnswerWithStatus404IsReadAsEventsToo) {
  open(HttpKind::Sse);
  stream(next(), "event: endpoint\ndata: /messages\n\n");
  send("tools/call", "2", Version::v2024_11_05, "t");
  answer(next(), "404 Not Found", event(result("2")), kEvents);
  until([&] { return seen.messages.size() == 1 || seen.end; });
  EXPECT_EQ(seen.messages, Texts{"2|" + result("2")});
  EXPECT_EQ(seen.failures, Texts{});
  EXPECT_FALSE(seen.end);
}

TEST_F(HttpTransports, ARefusalOfAnOlderServerThatBreaksOffCanHaveBeenAnAnswer) {
  open(HttpKind::Sse);
  stream(next(), "event: endpoint\ndata: /messages\n\n");
  send("tools/call", "2", Version::v2024_11_05, "t");
  const Asked asked = next();
  break_off(asked,
            "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n"
            "Content-Length: 100\r\n\r\n{\"result\":{");
  until([&] { return seen.end.has_value(); });
  EXPECT_EQ(seen.failures, Texts{"2|perhaps|not_found"});
}

TEST_F(HttpTransports, AnOlderServersErrorAboutTheSessionSaysThatTheCallDidNotRun) {
  const std::string lost = error("2", -32001, kNoSession);
  const std::string with_null = lost.substr(0, lost.size() - 1) + R"(,"result":null})";
  const std::pair<std::string, std::string> bodies[] = {
      {event("[" + lost + "]"), kEvents}, {with_null, "Content-Type: application/json\r\n"}};
  for (const auto& [body, headers] : bodies) {
    seen = {};
    open(HttpKind::Sse);
    stream(next(), "event: endpoint\ndata: /messages\n\n");
    send("tools/call", "2", Version::v2024_11_05, "t");
    answer(next(), "404 Not Found", body, headers);
    until([&] { return seen.end.has_value(); });
    EXPECT_EQ(seen.failures, Texts{"2|no|not_found"}) << body;
  }
}

TEST_F(HttpTransports, AnUnclearRefusalOfAnOlderServerCanComeFromACallThatRan) {
  message_bytes = 1 << 20;
  for (const std::string& text : cut_session_errors()) {
    seen = {};
    open(HttpKind::Sse);
    stream(next(), "event: endpoint\ndata: /messages\n\n");
    send("tools/call", "2", Version::v2024_11_05, "t");
    break_off(next(), text);
    until([&] { return seen.end.has_value(); });
    EXPECT_EQ(seen.failures, Texts{"2|perhaps|not_found"}) << text;
  }
  for (const std::string& refusal : unclear_refusals()) {
    const std::size_t bar = refusal.find('|');
    seen = {};
    open(HttpKind::Sse);
    stream(next(), "event: endpoint\ndata: /messages\n\n");
    send("tools/call", "2", Version::v2024_11_05, "t");
    answer(next(), "404 Not Found", refusal.substr(bar + 1), refusal.substr(0, bar));
    until([&] { return seen.end.has_value(); });
    EXPECT_EQ(seen.failures, Texts{"2|perhaps|not_found"}) << refusal;
  }
}

TEST_F(HttpTransports, AnOlderServersErrorAboutTheMessageItselfEndsNoSession) {
  open(HttpKind::Sse);
  stream(next(), "event: endpoint\ndata: /messages\n\n");
  send_answer("7", "2");
  answer(next(), "404 Not Found", error("7", -32602));
  send("tools/call", "3", Version::v2024_11_05, "t");
  answer(next(), "404 Not Found", error("3", -32601));
  until([&] { return seen.messages.size() == 1 || seen.end; });
  EXPECT_EQ(seen.messages, Texts{"3|" + error("3", -32601)});
  EXPECT_EQ(seen.failures, Texts{});
  EXPECT_FALSE(seen.end);
}

// The call was carried out, whatever the status says.
TEST_F(HttpTransports, AnOlderServersAnswerInARefusalIsTheAnswer) {
  open(HttpKind::Sse);
  stream(next(), "event: endpoint\ndata: /messages\n\n");
  send("tools/call", "2", Version::v2024_11_05, "t");
  answer(next(), "404 Not Found", result("2"));
  until([&] { return seen.messages.size() == 1; });
  EXPECT_EQ(seen.failures, Texts{});
  EXPECT_FALSE(seen.end);
}

TEST_F(HttpTransports, AnOlderServerOutlivesATokenThatCannotBeRenewed) {
  authorizer = std::make_shared<FakeAuthorizer>(io);
  open(HttpKind::Sse);
  stream(next(), "event: endpoint\ndata: /messages\n\n");
  fail_for_want_of_a_token(Version::v2024_11_05);
  EXPECT_EQ(seen.failures, (Texts{"2|no|io", "3|no|io", "4|no|io"}));
  EXPECT_FALSE(seen.end);
}

TEST_F(HttpTransports, AnEndpointAtADifferentOriginIsRefused) {
  open(HttpKind::Sse);
  send("initialize", "1");
  stream(next(), "event: endpoint\ndata: https://elsewhere.example/messages\n\n");
  until([&] { return seen.end.has_value(); });
  EXPECT_EQ(seen.end->kind, ErrorKind::Denied);
  EXPECT_EQ(server.peers.size(), 1u);
}

TEST_F(HttpTransports, AnUpstreamThatRefusesInitializeIsTriedAsAnOlderOne) {
  open(HttpKind::Auto);
  send("server/discover", "1", Version::v2026_07_28);
  answer(next(), "404 Not Found", "Cannot POST /mcp", "");
  until([&] { return !seen.failures.empty(); });
  EXPECT_EQ(seen.failures, Texts{"1|no|invalid_argument"});
  send("initialize", "2");
  answer(next(), "404 Not Found", "Cannot POST /mcp", "");
  const Asked get = next();
  EXPECT_TRUE(get.begins("GET /mcp "));
  stream(get, "event: endpoint\ndata: messages\n\n");
  const Asked post = next();
  EXPECT_TRUE(post.begins("POST /messages "));
  EXPECT_EQ(post.body, R"({"method":"initialize"})");
  EXPECT_EQ(seen.failures.size(), 1u);
}

TEST_F(HttpTransports, WhoSpeaksNeitherIsSaidSo) {
  open(HttpKind::Auto);
  send("initialize", "1");
  answer(next(), "405 Method Not Allowed", "", "");
  answer(next(), "404 Not Found", "", "");
  until([&] { return seen.end.has_value(); });
  EXPECT_NE(seen.end->message.find("refused `initialize`"), std::string::npos);
}

// ---- ends

TEST_F(HttpTransports, ATransportThatIsDestroyedSaysNothing) {
  begin_session();
  send("tools/call", "2", Version::v2025_11_25, "t");
  const Asked asked = next();
  transport = nullptr;
  until([&] { return server.peers[asked.peer]->is_closed; });
  EXPECT_FALSE(seen.end);
  EXPECT_TRUE(seen.failures.empty());
}

TEST_F(HttpTransports, AUrlThatIsNotHttpIsRefused) {
  const auto any = std::make_shared<outbound::Gate>(io.get_executor(), outbound::Settings());
  HttpUpstream upstream;
  for (const char* url : {"file:///etc/passwd", "ftp://a.example/", "nonsense", ""}) {
    upstream.url = url;
    EXPECT_FALSE(make_http_transport(io.get_executor(), any, upstream)) << url;
  }
}

TEST_F(HttpTransports, NeverShowTheQueryOfTheirUrl) {
  open();
  for (const HttpKind kind : {HttpKind::Auto, HttpKind::Streamable, HttpKind::Sse}) {
    HttpUpstream upstream;
    upstream.url = server.origin() + "/mcp?key=s3cret";
    upstream.kind = kind;
    const auto made = make_http_transport(io.get_executor(), gate, upstream);
    EXPECT_EQ((*made)->describe(), server.origin() + "/mcp");
  }
}

}  // namespace
}  // namespace host::upstream
