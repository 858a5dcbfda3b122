#include "json/schema/schema.h"

#include <utility>

#include "json/schema/compiler.h"
#include "json/schema/program.h"
#include "json/schema/run.h"

namespace host::json::schema {
namespace {

// Schemas nest deeper as text than as subschemas, by two levels each.
constexpr Limits kTextLimits{.depth = 2 * kMaxSubschemaDepth + 128, .nodes = 200'000};

Result<std::unique_ptr<const Program>> compile_program(Document document, const Options& options) {
  auto program = std::make_unique<Program>();
  program->document = std::move(document);
  Compiler compiler(*program, options);
  HOST_TRY(compiler.compile());
  return std::unique_ptr<const Program>(std::move(program));
}

Document copy_of(const Value& schema) {
  Document document;
  document.root() = copy(schema, document.allocator());
  return document;
}

// For a rule such as `if` or `oneOf`, a subschema that failed for want of budget looks like one
// that does not fit, so the rule may be met by mistake. A run that exhausted its budget accepts
// nothing.
bool conforms(Run& run, const Value& instance) {
  return run.check(run.program().root, Place{instance}, nullptr) && run.exhausted().empty();
}

}  // namespace

Schema::Schema(std::unique_ptr<const Program> program) : program_(std::move(program)) {}
Schema::Schema(Schema&&) noexcept = default;
Schema& Schema::operator=(Schema&&) noexcept = default;
Schema::~Schema() = default;

Result<Schema> Schema::compile(const Value& schema, const Options& options) {
  HOST_TRY_ASSIGN(auto program, compile_program(copy_of(schema), options));
  return Schema(std::move(program));
}

Result<Schema> Schema::compile(std::string_view schema_text, const Options& options) {
  auto document = parse(schema_text, kTextLimits);
  if (!document) return document.error().within("schema");
  HOST_TRY_ASSIGN(auto program, compile_program(*std::move(document), options));
  return Schema(std::move(program));
}

bool Schema::accepts(const Value& instance) const {
  Run run(*program_, nullptr, 0);
  return conforms(run, instance);
}

bool Schema::validate(const Value& instance, std::vector<Violation>& violations) const {
  Run quiet(*program_, nullptr, 0);
  if (conforms(quiet, instance)) return true;
  if (quiet.exhausted().empty()) {
    const std::size_t before = violations.size();
    Run run(*program_, &violations, before + kMaxViolations);
    run.check(program_->root, Place{instance}, nullptr);
    if (violations.size() > before) return false;
  }
  const std::string_view why =
      quiet.exhausted().empty() ? "the value does not conform" : quiet.exhausted();
  violations.push_back(Violation{"", "", "", std::string(why)});
  return false;
}

std::string Violation::describe() const {
  return (instance.empty() ? "the value" : instance) + ": " + message;
}

std::string describe(const std::vector<Violation>& violations) {
  std::string lines;
  for (const Violation& violation : violations) {
    if (!lines.empty()) lines += '\n';
    lines += violation.describe();
  }
  return lines;
}

}  // namespace host::json::schema
