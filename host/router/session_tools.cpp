#include "router/session_tools.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/spawn.h"
#include "json/object_text.h"
#include "router/profiles.h"
#include "tool/tool.h"

namespace host::router {
namespace {

using boost::asio::awaitable;

constexpr int kMostClashes = 5;  // changes of the session by others, while it is changed here

constexpr const char* kAboutReset =
    "Sets which groups of tools are active in this session. The arguments are the final state: "
    "each "
    "group that is true is active, all others are not. Tools of inactive groups cannot be called. "
    "Activate a group before you need its tools.";

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string schema_of(const std::vector<config::Group>& groups) {
  std::string properties = "{";
  for (const config::Group& group : groups) {
    std::string property = R"({"type":"boolean","default":false)";
    json::add_text(property, "description", group.description);
    json::add_member(properties, group.name, property + "}");
  }
  return R"({"type":"object","properties":)" + properties + "}}";
}

}  // namespace

SessionTools::SessionTools(boost::asio::any_io_executor io,
                           std::shared_ptr<session::Sessions> sessions,
                           std::vector<config::Group> groups, std::string build)
    : io_(std::move(io)),
      sessions_(std::move(sessions)),
      groups_(std::move(groups)),
      identity_{
          tool::ProviderIdentity::Kind::Host, std::string(kSessionTools), {}, std::move(build)} {
  if (!groups_.empty()) declare();
}

void SessionTools::declare() {
  tool::Declaration declaration;
  declaration.name = "reset_tools";
  declaration.title = "Choose groups of tools";
  declaration.description = kAboutReset;
  declaration.input_schema = schema_of(groups_);
  declaration.destructive = false;
  declaration.idempotent = true;
  declaration.open_world = false;
  auto made = tool::Tool::make(std::move(declaration), 0);
  if (made) {
    tools_.push_back(*std::move(made));
  } else {
    log::error("router", "the tool reset_tools cannot be declared",
               {{"reason", made.error().message}});
  }
}

Result<SessionTools::Names> SessionTools::wanted(const json::Value& arguments) const {
  Names names;
  for (const auto& member : arguments.GetObject()) {
    const std::string_view name = json::text(member.name);
    const auto known = std::find_if(groups_.begin(), groups_.end(),
                                    [&](const config::Group& group) { return group.name == name; });
    if (known == groups_.end()) {
      std::string all;
      for (const config::Group& group : groups_) all += (all.empty() ? "" : ", ") + group.name;
      return Error{ErrorKind::InvalidArgument,
                   "There is no tool group \"" + std::string(name) +
                       "\". Nothing was changed. The groups are: " + all + "."};
    }
    if (member.value.IsTrue()) names.emplace_back(name);
  }
  return names;
}

void SessionTools::start(std::shared_ptr<tool::Invocation> invocation) {
  const auto arguments = json::parse(invocation->arguments);
  if (invocation->function != tool::Function::Call || !arguments || !arguments->root().IsObject()) {
    invocation->finish(Error{ErrorKind::InvalidArgument, "expected a call with an object"});
    return;
  }
  auto now = wanted(arguments->root());
  if (!now) {
    invocation->finish(tool::CallResult::error(now.error().message));
    return;
  }
  spawn(io_, {"router", "resets the groups of a session"},
        reset(shared_from_this(), invocation, *std::move(now)),
        [invocation](const Result<void>& ended) {
          if (!ended) invocation->finish(ended.error());  // without effect if it has finished
        });
}

awaitable<void> SessionTools::reset(std::shared_ptr<SessionTools> self,
                                    std::shared_ptr<tool::Invocation> invocation, Names now) {
  const tool::Peer who = invocation->passport->who;
  for (int clashes = 0; clashes <= kMostClashes; ++clashes) {
    const session::SessionPtr before = self->sessions_->find(who.session, who.principal);
    if (!before) {
      invocation->finish(tool::CallResult::error("The session has ended. Nothing was changed."));
      co_return;
    }
    session::Settings settings = before->settings;
    settings.groups = now;
    const auto changed =
        co_await self->sessions_->change(before->id, before->version, std::move(settings));
    if (!changed) {
      invocation->finish(changed.error());
      co_return;
    }
    if (changed->clash || !changed->session) continue;
    invocation->finish(self->report(*before, now));
    co_return;
  }
  invocation->finish(tool::CallResult::error(
      "The session was changed by others at the same time. Nothing was changed. Call again."));
}

bool SessionTools::is_active(const session::Session& session, const config::Group& group) const {
  return session.settings.groups ? has(*session.settings.groups, group.name) : group.active;
}

// Which groups are active now, in the order of the configuration, and what the model has to know of
// those that were not.
tool::CallResult SessionTools::report(const session::Session& before, const Names& now) const {
  std::string active;
  std::string about;
  for (const config::Group& group : groups_) {
    if (!has(now, group.name)) continue;
    active += (active.empty() ? "" : ", ") + group.name;
    if (is_active(before, group)) continue;
    about += "\n<group name=\"" + group.name + "\">" + group.description;
    if (!group.instructions.empty()) about += "\n" + group.instructions;
    about += "</group>";
  }
  if (active.empty()) return tool::CallResult::text("All tool groups are currently deactivated.");
  std::string text = "The currently activated tool group(s): " + active + ".";
  if (!about.empty()) {
    text += "\n<tool-instructions>\nAbout the groups that were activated now:" + about +
            "\n</tool-instructions>";
  }
  return tool::CallResult::text(text);
}

}  // namespace host::router
