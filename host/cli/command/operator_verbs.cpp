#include "cli/command/operator_verbs.h"

#include "cli/command/shared_options.h"

namespace host::cli {
namespace {

void add_call_filters(CLI::App& list, CommandLine& line) {
  list.add_option("--session", line.session, "List only calls of this session")->type_name("ID");
  list.add_option("--state", line.state, "List only calls in this state")
      ->type_name("STATE")
      ->check(CLI::IsMember({"PENDING", "PROCESSING", "COMPLETE", "ERROR"}));
  list.add_option("--limit", line.limit, "List at most this many calls (default: 100)")
      ->type_name("N")
      ->check(CLI::Range(1, 10'000));
}

}  // namespace

void define_approvals(CLI::App& approvals, CommandLine& line) {
  approvals.callback([&approvals, &line] {  // runs after those of the verbs below it
    if (approvals.get_subcommands().empty()) line.verb = Verb::Approvals;
    refuse_with_verb(approvals, {"--all"});
  });
  add_common(approvals, line);
  approvals.add_flag("--all", line.all, "Also list approval requests that are no longer pending");
  add_json(approvals, line);
  approvals.require_subcommand(0, 1);
  add_list(approvals, line, "List the pending approval requests", Verb::Approvals)
      ->add_flag("--all", line.all, "Also list approval requests that are no longer pending");
  const auto some = [&](const char* name, const char* what, Verb verb) {
    CLI::App* made = add(approvals, line, name, what, verb);
    add_common(*made, line);
    return made;
  };
  const auto one = [&](const char* name, const char* what, Verb verb) {
    CLI::App* made = some(name, what, verb);
    made->add_option("id", line.approval, "The id of the approval request")->required();
    return made;
  };
  add_json(*one("show", "Show one approval request in full", Verb::ApprovalsShow), line);
  CLI::App* approve = one("approve", "Approve one run of the call", Verb::ApprovalsApprove);
  approve->add_option("--arguments", line.edited,
                      "Run the call with these arguments instead: one JSON object");
  approve->add_flag("--always", line.always,
                    "Also store the rules that `show` suggests, so that calls that match them run "
                    "without approval");
  approve
      ->add_option(
          "--always-for", line.always_for,
          "Apply the stored rules to calls of this principal as the same agent (the default), of "
          "this session, of this agent, or of everybody (host)")
      ->check(CLI::IsMember({"principal", "session", "agent", "host"}));
  approve->add_option("--code", line.code,
                      "The one-time code or recovery code that a priv_ tool needs");
  approve->add_option("--note", line.note, "A note to store with the decision");
  add_json(*approve, line);
  CLI::App* reject = some("reject", "Reject one call, or all pending calls", Verb::ApprovalsReject);
  CLI::Option* id = reject->add_option("id", line.approval, "The id of the approval request");
  CLI::Option* all =
      reject->add_flag("--all", line.reject_all, "Reject all pending approval requests")
          ->excludes(id);
  reject
      ->add_option("--principal", line.principal,
                   "With --all: reject only the requests of this principal")
      ->type_name("NAME")
      ->needs(all);
  reject->add_option("--note", line.note, "The reason, which the caller can read");
  CLI::App* answer = one("answer", "Answer a question of ask_user", Verb::ApprovalsAnswer);
  answer
      ->add_option("text", line.answer,
                   "The answer; if the question has options, one of these options")
      ->required();
  add_json(*answer, line);
}

void define_keys(CLI::App& key, CommandLine& line) {
  key.require_subcommand(1);
  const auto one = [&](const char* name, const char* what, Verb verb) {
    CLI::App* made = add(key, line, name, what, verb);
    add_common(*made, line);
    return made;
  };
  CLI::App* fresh =
      one("new", "Make a key and print it; the host never shows it again", Verb::KeyNew);
  fresh
      ->add_option("principal", line.name,
                   "The principal that makes calls with the key: letters, digits, . - _")
      ->required();
  add_repeated(
      *fresh, "--scope", line.scopes,
      "call, approve, admin or context; several with commas, or more than once (default: call)")
      ->delimiter(',')
      ->check(CLI::IsMember({"call", "approve", "admin", "context"}));
  add_agent(*fresh, line, "The only agent as which the key can call");
  fresh
      ->add_option("--expires", line.expires,
                   "How long the key is valid: 90d, 12h, 30m, 2w (default: until it is revoked)")
      ->type_name("LENGTH");
  add_json(*fresh, line);
  add_json(*one("list", "List the keys, without their secrets", Verb::KeyList), line);
  one("revoke", "Revoke a key and end the logins made with it", Verb::KeyRevoke)
      ->add_option("id", line.name, "The key's id")
      ->required();
  CLI::App* rotated = one(
      "rotate", "Make a key that replaces another key, and print it; the host never shows it again",
      Verb::KeyRotate);
  rotated->add_option("id", line.name, "The id of the key to replace")->required();
  rotated->add_option("--overlap", line.overlap, "How long the old key stays valid (default: 1d)")
      ->type_name("LENGTH");
  rotated
      ->add_option("--expires", line.expires,
                   "How long the new key is valid (default: as long as the old key was)")
      ->type_name("LENGTH");
  add_json(*rotated, line);
  add_json(*one("logins", "List the logins to the console", Verb::KeyLogins), line);
  CLI::App* ended = one("logout", "End one or several logins to the console", Verb::KeyLogout);
  CLI::Option_group* which = ended->add_option_group("which");
  which->add_option("id", line.name, "The login's id");
  which->add_option("--principal", line.principal, "End every login of this principal");
  which->add_flag("--all", line.all, "End every login");
  which->require_option(1);
  CLI::App* link = one("link", "Print a link that opens the console once", Verb::KeyLink);
  add_listen(*link, line,
             "The address at which the host listens, if it differs from server.listen");
}

void define_codes(CLI::App& totp, CommandLine& line) {
  totp.require_subcommand(1);
  const auto one = [&](const char* name, const char* what, Verb verb) {
    CLI::App* made = add(totp, line, name, what, verb);
    add_common(*made, line);
    return made;
  };
  const auto of_one = [&](const char* name, const char* what, Verb verb) {
    CLI::App* made = one(name, what, verb);
    made->add_option("principal", line.name, "The principal")->required();
    return made;
  };
  add_json(
      *of_one("enroll",
              "Make a secret for an authenticator app and print it; the host never shows it again",
              Verb::TotpEnroll),
      line);
  of_one("confirm", "Confirm the secret with a first code; codes are accepted from then on",
         Verb::TotpConfirm)
      ->add_option("code", line.code, "The code")
      ->required();
  add_json(*one("list", "List the principals that have codes", Verb::TotpList), line);
  of_one("unlock", "Accept codes again after too many wrong codes", Verb::TotpUnlock);
  of_one("remove", "Delete a principal's secret and recovery codes", Verb::TotpRemove);
}

void define_rules(CLI::App& rules, CommandLine& line) {
  rules.callback([&rules, &line] {  // runs after that of the verb below it
    if (rules.get_subcommands().empty()) line.verb = Verb::Rules;
  });
  add_common(rules, line);
  add_json(rules, line);
  rules.require_subcommand(0, 1);
  add_list(rules, line, "List the rules", Verb::Rules);
  CLI::App* remove = add(rules, line, "remove", "Remove a stored rule", Verb::RulesRemove);
  add_common(*remove, line);
  remove->add_option("id", line.name, "The rule's id")->required();
}

void define_webhooks(CLI::App& webhooks, CommandLine& line) {
  webhooks.callback([&webhooks, &line] {  // runs after that of the verb below it
    if (webhooks.get_subcommands().empty()) line.verb = Verb::Webhooks;
  });
  add_common(webhooks, line);
  add_json(webhooks, line);
  webhooks.require_subcommand(0, 1);
  add_list(webhooks, line, "List the webhooks", Verb::Webhooks);
  CLI::App* made =
      add(webhooks, line, "add", "Register a receiver and print its secret", Verb::WebhooksAdd);
  add_common(*made, line);
  add_json(*made, line);
  made->add_option("url", line.url, "The receiver's URL")->required();
  made->add_option("--events", line.events, "The types of events, separated by commas")
      ->type_name("TYPE,...")
      ->delimiter(',')
      ->required();
  made->add_option("--principal", line.principal,
                   "The owner of the webhook (default: local, which is the principal of clients "
                   "without a key)")
      ->type_name("NAME");
  made->add_option(
          "--covers", line.covers,
          "named: only calls whose session or request names the webhook; principal: all calls of "
          "the owner (the default); all: calls of all principals")
      ->type_name("WHICH")
      ->check(CLI::IsMember({"named", "principal", "all"}));
  made->add_option("--description", line.note, "A description that people read")->type_name("TEXT");
  const auto one = [&](const char* name, const char* what, Verb verb) {
    CLI::App* sub = add(webhooks, line, name, what, verb);
    add_common(*sub, line);
    sub->add_option("id", line.name, "The webhook's id")->required();
    return sub;
  };
  one("remove", "Remove a webhook and its deliveries", Verb::WebhooksRemove);
  one("test", "Send a webhook.test event from this machine", Verb::WebhooksTest);
  add_json(*one("dead", "List the dead letters of a webhook", Verb::WebhooksDead), line);
  one("replay", "Deliver dead letters again", Verb::WebhooksReplay)
      ->add_option("event", line.arguments, "Ids of events (default: all dead letters)");
}

void define_sessions(CLI::App& sessions, CommandLine& line) {
  sessions.callback([&sessions, &line] {  // runs after that of the verb below it
    if (sessions.get_subcommands().empty()) line.verb = Verb::Sessions;
  });
  add_common(sessions, line);
  add_json(sessions, line);
  sessions.require_subcommand(0, 1);
  add_list(sessions, line, "List the stored sessions", Verb::Sessions);
  CLI::App* show =
      add(sessions, line, "show", "Show the settings of a session", Verb::SessionsShow);
  add_common(*show, line);
  add_json(*show, line);
  show->add_option("id", line.name, "The session's id")->required();
  CLI::App* end = add(sessions, line, "end", "End a session; its client must begin a new one",
                      Verb::SessionsEnd);
  add_common(*end, line);
  end->add_option("id", line.name, "The session's id")->required();
}

void define_calls(CLI::App& calls, CommandLine& line) {
  calls.callback([&calls, &line] {  // runs after that of the verb below it
    if (calls.get_subcommands().empty()) line.verb = Verb::Calls;
    refuse_with_verb(calls, {"--session", "--state", "--limit"});
  });
  add_common(calls, line);
  add_json(calls, line);
  add_call_filters(calls, line);
  calls.require_subcommand(0, 1);
  CLI::App* list = add_list(calls, line, "List the stored calls, the newest first", Verb::Calls);
  add_call_filters(*list, line);
  CLI::App* show = add(calls, line, "show", "Show the state of a call", Verb::CallsShow);
  add_common(*show, line);
  add_json(*show, line);
  show->add_flag("--whole", line.whole,
                 "Also show the call's arguments, context, result and error");
  show->add_option("id", line.name, "The call's id")->required();
  CLI::App* cancel =
      add(calls, line, "cancel", "Have the running host cancel a call", Verb::CallsCancel);
  add_common(*cancel, line);
  cancel->add_option("id", line.name, "The call's id")->required();
}

}  // namespace host::cli
