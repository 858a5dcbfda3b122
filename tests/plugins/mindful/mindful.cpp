// Tools that need their session's state, count their calls in the session's storage, and write back
// what they got by compare and swap.
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

// Emits its progress, as a text and as a value, while it runs.
std::string emit(const toolpost::Context& call) {
  call.partial("half");
  call.partial(User{"three quarters"});
  return "whole";
}

// More than a client gets within a second.
std::string flood(const toolpost::Context& call) {
  for (int i = 1; i <= 40; ++i) {
    call.partial("part " + std::to_string(i));
    call.progress(i, 80, "report " + std::to_string(i));
    call.partial("rest " + std::to_string(i));
  }
  return "whole";
}

struct Edit {
  std::string key;
  std::string value;
  std::optional<std::string> before;  // another call has written this since
  TOOLPOST_FIELDS(Edit, TOOLPOST_FIELD(key), TOOLPOST_FIELD(value), TOOLPOST_FIELD(before))
};

struct Edited {
  std::string was;  // as the call got it with its state
  bool written = false;
  TOOLPOST_FIELDS(Edited, TOOLPOST_FIELD(was), TOOLPOST_FIELD(written))
};

Edited edit(const Edit& wanted, const toolpost::Context& call) {
  const auto state = call.session_state();
  if (!state) throw toolpost::Error("the session has ended");
  const toolpost::Kv kept = call.session_kv();
  const toolpost::KeptValue* const old = state->kept(wanted.key);
  if (wanted.before) kept.set(wanted.key, *wanted.before);
  const auto written = kept.try_set(wanted.key, wanted.value, old ? old->version : 0);
  return {old ? old->value : "", written.has_value()};
}

}  // namespace

TOOLPOST_PLUGIN(toolpost::Plugin<>({.id = "io.toolpost.test.mindful",
                                    .name = "Mindful",
                                    .version = "1.0.0",
                                    .concurrent = true})
                    .tool("recall", "Tell the state of the session, and count the calls in it",
                          recall, {.read_only = true, .state_injected = true})
                    .tool("edit", "Write a value of the session back", edit,
                          {.read_only = true, .state_injected = true})
                    .tool("who", "Tell for whom the call is made", who, {.read_only = true})
                    .tool("flood", "Emit more than can be sent", flood, {.read_only = true})
                    .tool("emit", "Emit partial results", emit, {.read_only = true})
                    .tool("who_later", "The same, as a coroutine", who_later, {.read_only = true}))
