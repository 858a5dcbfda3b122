// Everything behind a peer's session, with tools of the test; and the two ways to be such a peer.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mcp/http/endpoint.h"
#include "mcp/method/methods.h"
#include "mcp/stdio/session.h"
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
                       skill::Catalog* served = nullptr);
  ~SessionHost();

  mcp::Methods& methods();

  // As the catalog would tell it.
  void tell_tools_changed() { tell({true, false, false}); }
  void tell(const tool::Changes& changes);
  void tell_updated(const std::string& uri);

  RunLoop loop;
  ManualClock clock;
  config::Config config;
  FakeTools tools;
  skill::Catalog no_skills{std::vector<std::unique_ptr<skill::SkillRepository>>(), {}};
  skill::Catalog& skills;
  FakeOffers offers{loop};
  task::Records records{loop.io.get_executor(), clock};
  task::Tasks tasks{loop.io.get_executor(), clock, records, {}};
  std::string instructions;
  std::vector<std::string> refusals;  // limits that were reached
  std::chrono::milliseconds question_lifetime{std::chrono::seconds(300)};

 private:
  std::unique_ptr<mcp::Methods> methods_;
};

// A client on a channel of lines.
struct LinePeer {
  explicit LinePeer(SessionHost& served);
  ~LinePeer();

  // What came back by the time that nothing was left to do.
  std::vector<std::string> say(std::string_view line);
  std::string say_one(std::string_view line);

  SessionHost& host;
  MemoryConnection connection;
  bool over = false;
  std::shared_ptr<mcp::StdioSession> session;
};

// A client over HTTP.
struct HttpPeer {
  using Fields = std::map<std::string, std::string>;

  explicit HttpPeer(SessionHost& served);
  ~HttpPeer();

  std::shared_ptr<FakeExchange> send(std::string verb, std::string body, Fields fields = {});
  std::shared_ptr<FakeExchange> post(std::string body, Fields fields = {}) {
    return send("POST", std::move(body), std::move(fields));
  }

  // Agrees on a version; the session's fields for what follows.
  Fields open(std::string version, std::string capabilities = "{}");

  SessionHost& host;
  mcp::HttpEndpoint endpoint;
};

std::string call_text(std::string_view id, std::string_view tool, std::string_view arguments,
                      std::string_view more = {});

// `,"_meta":{...}` of a request of the stateless version.
std::string modern_meta(std::string_view capabilities = "{}", std::string_view more = {},
                        std::string_view version = "2026-07-28");

}  // namespace host::test
