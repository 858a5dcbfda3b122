// Everything behind a peer's session, with tools of the test; and the two ways to be such a peer.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "session/http_endpoint.h"
#include "session/methods.h"
#include "session/stdio_session.h"
#include "support/fake_http.h"
#include "support/fake_offers.h"
#include "support/fake_tools.h"
#include "support/manual_clock.h"
#include "support/memory_connection.h"
#include "support/run_loop.h"
#include "task/tasks.h"

namespace host::test {

struct SessionHost {
  // `served`: the skills; nullptr: none.
  explicit SessionHost(std::function<void(config::Config&)> change = nullptr,
                       skill::Catalog* served = nullptr)
      : skills(served ? *served : no_skills) {
    add_common(tools);
    config.server.name = "h";
    config.server.title = "";
    if (change) change(config);
  }

  session::Methods& methods() {
    if (!methods_) {
      methods_ = std::make_unique<session::Methods>(
          session::Services{tools, offers, skills, tasks, config, loop.io.get_executor(), clock,
                            [this] { return instructions; }, "1", question_lifetime});
    }
    return *methods_;
  }

  // As the catalog would tell it.
  void tell_tools_changed() { tell({true, false, false}); }
  void tell(const tool::Changes& changes) {
    methods().announcer().changed(changes);
    loop.turn();
  }
  void tell_updated(const std::string& uri) {
    methods().announcer().updated(uri);
    loop.turn();
  }

  RunLoop loop;
  ManualClock clock;
  config::Config config;
  FakeTools tools;
  skill::Catalog no_skills{{}, {}};
  skill::Catalog& skills;
  FakeOffers offers{loop};
  task::MemoryStore task_store;
  task::Tasks tasks{loop.io.get_executor(), clock, task_store, {}};
  std::string instructions;
  std::chrono::milliseconds question_lifetime{std::chrono::seconds(300)};

 private:
  std::unique_ptr<session::Methods> methods_;
};

// A client on a channel of lines.
struct LinePeer {
  explicit LinePeer(SessionHost& served)
      : host(served),
        session(
            session::StdioSession::create(served.methods(), connection, [this] { over = true; })) {}

  // What came back by the time that nothing was left to do.
  std::vector<std::string> say(std::string_view line) {
    session->on_line(line);
    host.loop.turn();
    return connection.take();
  }
  std::string say_one(std::string_view line) {
    const auto lines = say(line);
    return lines.size() == 1 ? lines.front() : "(" + std::to_string(lines.size()) + " lines)";
  }

  SessionHost& host;
  MemoryConnection connection;
  bool over = false;
  std::shared_ptr<session::StdioSession> session;
};

// A client over HTTP.
struct HttpPeer {
  using Fields = std::map<std::string, std::string>;

  explicit HttpPeer(SessionHost& served)
      : host(served), endpoint(served.methods(), [](const transport::HttpRequest& http) {
          const auto who = http.header("x-test-principal");
          return who.data() ? std::string(who) : std::string("local");
        }) {}

  std::shared_ptr<FakeExchange> send(std::string verb, std::string body, Fields fields = {}) {
    auto exchange = std::make_shared<FakeExchange>();
    exchange->verb = std::move(verb);
    exchange->text = std::move(body);
    exchange->fields = {{"content-type", "application/json"},
                        {"accept", "application/json, text/event-stream"}};
    for (auto& [name, value] : fields) {
      if (value == "-")
        exchange->fields.erase(name);
      else
        exchange->fields[name] = value;
    }
    boost::asio::co_spawn(host.loop.io, endpoint.handle(*exchange),
                          [exchange](std::exception_ptr fault) {
                            if (fault) std::rethrow_exception(fault);
                          });
    host.loop.turn();
    return exchange;
  }
  std::shared_ptr<FakeExchange> post(std::string body, Fields fields = {}) {
    return send("POST", std::move(body), std::move(fields));
  }

  // Agrees on a version; the session's fields for what follows.
  Fields open(std::string version, std::string capabilities = "{}") {
    const auto hello = post(
        R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":")" + version +
        R"(","capabilities":)" + capabilities + R"(,"clientInfo":{"name":"c","version":"1"}}})");
    return {{"mcp-session-id", hello->answer_header("Mcp-Session-Id")},
            {"mcp-protocol-version", version}};
  }

  SessionHost& host;
  session::HttpEndpoint endpoint;
};

inline std::string call_text(std::string_view id, std::string_view tool, std::string_view arguments,
                             std::string_view more = {}) {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) +
         R"(,"method":"tools/call","params":{"name":")" + std::string(tool) + R"(","arguments":)" +
         std::string(arguments) + std::string(more) + "}}";
}

// `,"_meta":{...}` of a request of the stateless version.
inline std::string modern_meta(std::string_view capabilities = "{}", std::string_view more = {},
                               std::string_view version = "2026-07-28") {
  return R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":")" + std::string(version) +
         R"(","io.modelcontextprotocol/clientCapabilities":)" + std::string(capabilities) +
         std::string(more) + "}";
}

}  // namespace host::test
