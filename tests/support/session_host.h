// All parts of the host that an MCP session needs, with tools of the test, and a client for each of
// the two transports.
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
  // `served`: the skills; nullptr: no skills.
  explicit SessionHost(std::function<void(config::Config&)> change = nullptr,
                       skill::Catalog* served = nullptr);
  ~SessionHost();

  mcp::Methods& methods();

  // Reports a change of the list of tools, as the catalog does.
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

// A client that sends and receives lines, as over stdio.
struct LinePeer {
  explicit LinePeer(SessionHost& served);
  ~LinePeer();

  // Sends a line and runs the loop until there is no more work. Returns the lines that were
  // received.
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

  // Opens a session with `initialize`. Returns the header fields for later requests of the session.
  Fields open(std::string version, std::string capabilities = "{}");

  SessionHost& host;
  mcp::HttpEndpoint endpoint;
  bool takes = true;  // of the streams of further requests: see FakeStream::takes
};

std::string call_text(std::string_view id, std::string_view tool, std::string_view arguments,
                      std::string_view more = {});

// Returns `,"_meta":{...}` for a request of the stateless version (2026-07-28).
std::string modern_meta(std::string_view capabilities = "{}", std::string_view more = {},
                        std::string_view version = "2026-07-28");

}  // namespace host::test
