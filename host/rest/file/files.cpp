#include "rest/file/files.h"

#include <algorithm>

#include "file/files.h"
#include "file/names.h"
#include "json/object_text.h"
#include "rest/wire/body.h"
#include "rest/wire/file_json.h"
#include "rest/wire/parameters.h"
#include "transport/http/json_answer.h"

namespace host::rest {
namespace {

constexpr std::uint32_t kMostFilesListed = 100;

Error no_files_are_kept() {
  return {ErrorKind::NotFound, "this host keeps no files: store.file is empty"};
}

// A URL that is signed without the key would be refused for ever.
Error no_key_yet() {
  return {ErrorKind::Unavailable,
          "this host could not read the key of its signed URLs from its store: retry later"};
}

Error no_such_file(const std::string& id) {
  return {ErrorKind::NotFound, "you have no file \"" + id.substr(0, 80) + "\""};
}

file::Grant grant_of(const identity::Visitor& visitor) {
  file::Grant grant;
  grant.principal = visitor.principal.name;
  grant.agent = visitor.agent;
  grant.keyed = visitor.way == identity::Way::Key;
  grant.login = visitor.login;
  grant.until = visitor.until;
  return grant;
}

bool is_sha256(std::string_view text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

// What the caller says of the file that it will upload. A request without a body says nothing.
Result<void> read_wanted(const transport::HttpRequest& http, file::Grant& grant) {
  grant.name = "file";
  grant.content_type = "application/octet-stream";
  if (http.body().empty()) return {};
  HOST_TRY_ASSIGN(const Body body, Body::read(http));
  Members& root = body.root();
  if (const auto name = root.text_if("filename")) {
    grant.name = *name;
    if (!file::is_file_name(*name))
      root.fault("filename", "must be " + std::string(file::kFileNameForm));
  }
  if (const auto type = root.text_if("content_type")) {
    grant.content_type = *type;
    if (!file::is_content_type(*type))
      root.fault("content_type", "must be " + std::string(file::kContentTypeForm));
  }
  grant.bytes = root.number_if("bytes");
  if (const auto sha256 = root.text_if("sha256")) {
    grant.sha256 = *sha256;
    if (!is_sha256(*sha256)) root.fault("sha256", "must be 64 hexadecimal digits in lower case");
  }
  return body.end();
}

}  // namespace

// A host that does not know its own address answers with the one that the client has used.
std::string FileRoutes::origin(const Asked& asked) const {
  if (!services_.files->origin().empty()) return services_.files->origin();
  return "http://" + std::string(asked.http().header("Host"));
}

awaitable<void> FileRoutes::presign(const Asked& asked) {
  if (!services_.files) co_return transport::answer_error(asked.exchange, no_files_are_kept());
  file::Grant grant = grant_of(asked.visitor);
  const auto read = read_wanted(asked.http(), grant);
  if (!read) co_return transport::answer_error(asked.exchange, read.error());
  const std::uint64_t most = services_.files->settings().file_bytes;
  if (grant.bytes && *grant.bytes > most) {
    services_.on_refusal("limits.file_bytes");
    co_return transport::answer_error(
        asked.exchange, transport::Problem::TooLarge,
        "/bytes: a file may have " + std::to_string(most) + " bytes (limits.file_bytes)");
  }
  if (!services_.files->has_key()) co_return transport::answer_error(asked.exchange, no_key_yet());
  const file::Files::Signed made = services_.files->sign_upload(std::move(grant));
  std::string out = "{";
  json::add_text(out, "file_id", made.id);
  json::add_text(out, "upload_url", origin(asked) + made.target);
  json::add_text(out, "method", "PUT");
  json::add_text(out, "expires", to_rfc3339(made.expires));
  json::add_member(out, "max_bytes", std::to_string(most));
  transport::answer_json(asked.exchange, 200, out + "}");
}

awaitable<void> FileRoutes::list(const Asked& asked) {
  if (!services_.files) co_return transport::answer_error(asked.exchange, no_files_are_kept());
  const auto parameters = read_parameters(asked.http().query(), {"limit", "after"});
  if (!parameters) co_return transport::answer_error(asked.exchange, parameters.error());
  const auto limit = read_limit(*parameters, kMostFilesListed, kMostFilesListed);
  if (!limit) co_return transport::answer_error(asked.exchange, limit.error());
  if (answers_head(asked)) co_return;
  const auto after = parameters->find("after");
  std::string before;  // a named value, because g++ 12 miscompiles a conditional in a co_await
  if (after != parameters->end()) before = after->second;
  const auto files = co_await services_.files->list(asked.visitor.principal.name, before, *limit);
  if (!files) co_return transport::answer_error(asked.exchange, files.error());
  std::string out = "{\"files\":[";
  for (const store::FileRecord& one : *files) {
    if (out.back() != '[') out += ',';
    out += as_json(one);
  }
  transport::answer_json(asked.exchange, 200, out + "]}");
}

awaitable<void> FileRoutes::show(const Asked& asked) {
  if (!services_.files) co_return transport::answer_error(asked.exchange, no_files_are_kept());
  const auto found = co_await services_.files->find(asked.visitor.principal.name, asked.id());
  if (!found) co_return transport::answer_error(asked.exchange, found.error());
  if (!*found) co_return transport::answer_error(asked.exchange, no_such_file(asked.id()));
  if (!services_.files->has_key()) co_return transport::answer_error(asked.exchange, no_key_yet());
  const auto made = services_.files->sign_download(grant_of(asked.visitor), asked.id());
  transport::answer_json(asked.exchange, 200, as_json(**found, origin(asked) + made.target));
}

awaitable<void> FileRoutes::remove(const Asked& asked) {
  if (!services_.files) co_return transport::answer_error(asked.exchange, no_files_are_kept());
  const auto removed = co_await services_.files->remove(asked.visitor.principal.name, asked.id());
  if (!removed) co_return transport::answer_error(asked.exchange, removed.error());
  if (!*removed) co_return transport::answer_error(asked.exchange, no_such_file(asked.id()));
  asked.exchange.respond(204, {}, {}, {});
}

}  // namespace host::rest
