// tp.http/1.
#include <string>
#include <utility>

#include "services.h"

namespace {

struct Get {
  std::string url;
  std::string method = "GET";
  std::string body = "";
  std::vector<std::vector<std::string>> headers = {};
  std::optional<std::uint64_t> max_bytes;
  std::optional<std::uint32_t> timeout_ms;
  std::optional<std::uint32_t> redirects;
  TOOLPOST_FIELDS(Get, TOOLPOST_FIELD(url), TOOLPOST_FIELD(method),
                  TOOLPOST_FIELD(body, "", toolpost::defaulted),
                  TOOLPOST_FIELD(headers, "", toolpost::defaulted), TOOLPOST_FIELD(max_bytes),
                  TOOLPOST_FIELD(timeout_ms), TOOLPOST_FIELD(redirects))
};

toolpost::HttpRequest request_of(const Get& args) {
  toolpost::HttpRequest request;
  request.url = args.url;
  request.method = args.method;
  request.body = args.body;
  for (const auto& header : args.headers) request.headers.emplace_back(header.at(0), header.at(1));
  request.max_bytes = args.max_bytes;
  if (args.timeout_ms) request.timeout = std::chrono::milliseconds(*args.timeout_ms);
  request.redirects = args.redirects;
  return request;
}

std::string told(const toolpost::HttpResponse& response) {
  const std::string body =
      response.body.size() > 2000 ? std::to_string(response.body.size()) + " bytes" : response.body;
  return std::to_string(response.status) + " " + response.url + " " +
         response.header("content-type").value_or("-") + "\n" + body;
}

// The response, or the status with which there was none.
std::string get(const Get& args, toolpost::Context& call) {
  try {
    return told(call.http(request_of(args)));
  } catch (const toolpost::ServiceError& error) {
    return std::to_string(error.status()) + ": " + error.what();
  }
}

void get_later(const Get& args, toolpost::Pending pending) {
  auto kept = std::make_shared<toolpost::Pending>(std::move(pending));
  kept->context().http(request_of(args), [kept](toolpost::ServiceAnswer answer) {
    if (answer.status != TP_OK) return kept->finish(std::to_string(answer.status));
    kept->finish(told(toolpost::read_http(std::move(answer))));
  });
}

}  // namespace

Services with_http(Services plugin) {
  return std::move(plugin)
      .tool("http_get", "Makes a request", get, {.read_only = true})
      .tool("http_get_later", "Makes a request without waiting", get_later, {.read_only = true});
}
