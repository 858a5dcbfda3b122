#include "upstream/provider/served_tools.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "json/canonical.h"
#include "json/json.h"
#include "json/schema/time_budget.h"
#include "protocol/mirrored_headers.h"
#include "protocol/server_answers.h"
#include "tool/definition/declared_text.h"
#include "upstream/provider/tool_name.h"

namespace host::upstream {
namespace {

std::string presets_of(const config::Upstream& upstream, std::string_view tool) {
  if (upstream.presets.empty()) return {};
  const auto all = json::parse(upstream.presets);
  const json::Value* const own = all ? json::find(all->root(), tool) : nullptr;
  return own ? json::write(*own) : std::string();
}

tool::Declaration declaration_of(const config::Upstream& upstream, protocol::ForeignTool foreign) {
  tool::Declaration out;
  out.name = served_name(upstream.name, foreign.name);
  out.title = std::move(foreign.title);
  out.description = std::move(foreign.description);
  // A tool without a description is common among servers; the model decides by its name then.
  if (out.description.find_first_not_of(" \t\r\n") == std::string::npos)
    out.description = "The tool " + tool::quoted_name(foreign.name) + " of " + upstream.name + ".";
  out.input_schema = std::move(foreign.input_schema);
  out.output_schema = std::move(foreign.output_schema);
  out.presets = presets_of(upstream, foreign.name);
  out.icons = std::move(foreign.icons);
  out.meta = std::move(foreign.meta);
  out.read_only = foreign.read_only && upstream.trust_read_only;
  out.may_only_read = upstream.trust_read_only;
  out.trust = upstream.trust_read_only ? config::Trust::ReadOnly : config::Trust::None;
  out.concurrency_safe = upstream.concurrency_safe || out.read_only;
  out.destructive = foreign.destructive && !out.read_only;
  out.idempotent = foreign.idempotent;
  out.open_world = foreign.open_world;
  out.nonblocking = true;
  if (foreign.tasks != protocol::TaskSupport::Forbidden) out.tasks = tool::TaskUse::Offered;
  out.group = upstream.group;
  out.auto_approve = upstream.auto_approve;
  if (upstream.timeout) out.timeout = *upstream.timeout;
  return out;
}

// Annotations are for HTTP alone. One that is not valid makes the whole tool invalid there.
Result<void> check_annotations(const config::Upstream& upstream, const json::Value& definition) {
  const json::Value* const schema = json::find(definition, "inputSchema");
  if (upstream.url.empty() || !upstream.openapi.empty() || !schema) return {};
  const auto fault = protocol::annotation_fault(*schema);
  if (!fault) return {};
  return Error{ErrorKind::InvalidArgument, "its inputSchema is not valid: " + *fault};
}

// `definition` is the pinned definition. It can have more than the tool's members, such as the
// places of an operation's parameters, and an approval is for all of it.
Result<std::shared_ptr<const tool::Tool>> make(const config::Upstream& upstream,
                                               protocol::ForeignTool foreign,
                                               const json::Value& definition, std::uint32_t index) {
  tool::Declaration declaration = declaration_of(upstream, std::move(foreign));
  declaration.whole_definition = to_hex(sha256(json::canonical(definition)));
  return tool::Tool::make(std::move(declaration), index,
                          {{"upstream:" + upstream.name, upstream.max_inflight, true}});
}

}  // namespace

ToolMaker::ToolMaker(std::shared_ptr<const config::Upstream> upstream,
                     std::vector<std::string> definitions, CpuClock clock)
    : shared_upstream_(std::move(upstream)),
      definitions_(std::move(definitions)),
      clock_(clock ? std::move(clock) : CpuClock(json::schema::thread_cpu_time)) {}

bool ToolMaker::step() {
  if (next_ == definitions_.size()) return false;
  const auto begin = clock_();
  make_next();
  spent_ += clock_() - begin;
  if (spent_ <= kMostMakingTime) return next_ < definitions_.size();
  refuse_rest();
  return false;
}

void ToolMaker::make_next() {
  const std::string& definition = definitions_[next_++];
  const auto tree = json::parse(definition);
  auto foreign =
      tree ? protocol::read_tool(tree->root()) : Result<protocol::ForeignTool>(tree.error());
  if (foreign) {
    if (const auto valid = check_annotations(upstream_, tree->root()); !valid)
      foreign = valid.error();
  }
  if (!foreign) {
    made_.refusals.push_back(
        {tree ? std::string(json::find_text(tree->root(), "name")) : "", foreign.error().message});
    return;
  }
  const std::string name = foreign->name;
  const protocol::TaskSupport tasks = foreign->tasks;
  if (!is_named_by(upstream_.tools, name) || is_named_by(upstream_.tools_denied, name)) return;
  const auto [at, fresh] = taken_.emplace(served_name(upstream_.name, name), name);
  if (!fresh) {
    made_.refusals.push_back({name, "its name here would be " + at->first + ", which " +
                                        tool::quoted_name(at->second) + " has already"});
    return;
  }
  auto made = make(upstream_, *std::move(foreign), tree->root(),
                   static_cast<std::uint32_t>(made_.tools.size()));
  if (made) {
    made_.tools.push_back(*std::move(made));
    made_.names.push_back(name);
    made_.tasks.push_back(tasks);
  } else {
    made_.refusals.push_back({name, made.error().message});
  }
}

void ToolMaker::refuse_rest() {
  if (next_ == definitions_.size()) return;
  const auto tree = json::parse(definitions_[next_]);
  made_.refusals.push_back(
      {tree ? std::string(json::find_text(tree->root(), "name")) : "",
       "the tools before it took more than " + std::to_string(kMostMakingTime.count()) +
           " s of CPU time to compile. The same holds for " +
           std::to_string(definitions_.size() - next_ - 1) +
           " tools after it, by name. Choose fewer tools with `tools` and `tools_denied`"});
  next_ = definitions_.size();
}

ServedTools served_tools(const config::Upstream& upstream,
                         const std::vector<std::string>& definitions) {
  ToolMaker maker(std::make_shared<const config::Upstream>(upstream), definitions);
  while (maker.step()) {
  }
  return maker.take();
}

}  // namespace host::upstream
