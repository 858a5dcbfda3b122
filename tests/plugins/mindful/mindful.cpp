// A tool that needs its session's state, and counts its calls in the session's storage.
#include <optional>
#include <string>

#include <toolpost/toolpost.hpp>

namespace {

struct Recalled {
  toolpost::SessionState session;
  int calls = 0;
  TOOLPOST_FIELDS(Recalled, TOOLPOST_FIELD(session), TOOLPOST_FIELD(calls))
};

struct User {
  static constexpr const char* context_type = "org.example.User";
  std::string id;
  TOOLPOST_FIELDS(User, TOOLPOST_FIELD(id))
};

std::string who(const std::optional<User>& user) {
  return user ? user->id : "nobody";
}

toolpost::Task<std::string> who_later(std::optional<User> user, toolpost::Context&) {
  co_return user ? user->id : "nobody";
}

Recalled recall(const std::optional<toolpost::SessionState>& state, const toolpost::Context& call) {
  if (!state) throw toolpost::Error("the session has ended");
  const toolpost::Kv kept = call.session_kv();
  for (;;) {  // until no other call has written in between
    const auto before = kept.get("calls");
    const int calls = (before ? std::stoi(before->value) : 0) + 1;
    if (kept.try_set("calls", std::to_string(calls), before ? before->version : 0))
      return {*state, calls};
  }
}

}  // namespace

TOOLPOST_PLUGIN(toolpost::Plugin<>({.id = "io.toolpost.test.mindful",
                                    .name = "Mindful",
                                    .version = "1.0.0",
                                    .concurrent = true})
                    .tool("recall", "Tell the state of the session, and count the calls in it",
                          recall, {.read_only = true, .state_injected = true})
                    .tool("who", "Tell for whom the call is made", who, {.read_only = true})
                    .tool("who_later", "The same, as a coroutine", who_later, {.read_only = true}))
