#include "upstream/oauth/discovery.h"

#include <utility>

#include "base/text/letters.h"
#include "identity/oauth/issuer_metadata.h"

namespace host::upstream::oauth {
namespace {

using boost::asio::awaitable;
using outbound::Response;

// nullopt: the document is at none of the URLs.
struct Document {
  std::string url;
  std::string text;
};

awaitable<Result<std::optional<Document>>> first_of(const Requests& requests,
                                                    std::vector<std::string> urls) {
  for (const std::string& url : urls) {
    const Result<Response> answer = co_await requests.get(url);
    if (!answer) co_return answer.error().within(url);
    if (answer->status == 200) {
      Document found{url, answer->body};
      co_return std::optional<Document>(std::move(found));
    }
    // A server that is overloaded has not said that it has none.
    if (answer->status >= 500 || answer->status == 429) {
      co_return Error{ErrorKind::Unavailable,
                      url + ": HTTP status " + std::to_string(answer->status)};
    }
  }
  co_return std::optional<Document>();
}

std::string listed(const std::vector<std::string>& urls) {
  std::string out;
  for (const std::string& url : urls) out += (out.empty() ? "" : ", ") + url;
  return out;
}

awaitable<Result<std::optional<ResourceMetadata>>> find_resource(const Requests& requests,
                                                                 std::string url,
                                                                 std::string given) {
  const bool is_given = !given.empty();
  if (is_given && !is_endpoint(given)) {
    co_return Error{ErrorKind::InvalidArgument,
                    "the server's `resource_metadata` is not an https URL"};
  }
  std::vector<std::string> urls = resource_metadata_urls(url);
  if (is_given) urls = {given};
  HOST_CO_TRY_ASSIGN(const std::optional<Document> found, co_await first_of(requests, urls));
  if (!found && is_given)
    co_return Error{ErrorKind::NotFound, "the server's metadata are not at " + given};
  if (!found) co_return std::optional<ResourceMetadata>();
  Result<ResourceMetadata> read = read_resource_metadata(found->text, url);
  if (!read) co_return read.error().within(found->url);
  co_return std::optional<ResourceMetadata>(*std::move(read));
}

awaitable<Result<ServerMetadata>> find_server(const Requests& requests, std::string issuer) {
  const std::vector<std::string> urls = identity::metadata_urls(issuer);
  HOST_CO_TRY_ASSIGN(const std::optional<Document> found, co_await first_of(requests, urls));
  if (!found) {
    co_return Error{ErrorKind::NotFound,
                    "the authorization server's metadata are at none of " + listed(urls)};
  }
  Result<ServerMetadata> read = read_server_metadata(found->text, issuer);
  if (!read) co_return read.error().within(found->url);
  co_return read;
}

// As 2025-03-26 has it.
awaitable<Result<ServerMetadata>> find_own_server(const Requests& requests, std::string url) {
  HOST_CO_TRY_ASSIGN(const outbound::Origin origin, outbound::origin_of(url));
  const std::string own = origin.text();
  const std::vector<std::string> urls = {identity::metadata_urls(own).front()};
  HOST_CO_TRY_ASSIGN(const std::optional<Document> found, co_await first_of(requests, urls));
  if (!found) co_return fixed_endpoints(own);
  // Nobody has named the issuer: the same with a slash is the same origin.
  Result<ServerMetadata> read = read_server_metadata(found->text, own);
  if (!read) read = read_server_metadata(found->text, own + "/");
  if (!read) co_return read.error().within(found->url);
  co_return read;
}

}  // namespace

std::optional<Challenge> challenge_in(const outbound::Headers& headers) {
  std::string all;
  for (const auto& [name, value] : headers) {
    if (same_letters(name, "www-authenticate")) all += (all.empty() ? "" : ", ") + value;
  }
  return read_challenge(all);
}

awaitable<Result<Discovered>> discover(const Requests& requests, std::string url,
                                       Challenge challenge) {
  HOST_CO_TRY_ASSIGN(const std::optional<ResourceMetadata> resource,
                     co_await find_resource(requests, url, challenge.resource_metadata));
  Discovered out;
  if (!resource) {
    HOST_CO_TRY_ASSIGN(out.server, co_await find_own_server(requests, url));
    out.scopes = challenge.scopes;
    co_return out;
  }
  HOST_CO_TRY_ASSIGN(out.server, co_await find_server(requests, resource->issuer));
  out.resource = resource->resource;
  out.scopes = challenge.scopes.empty() ? resource->scopes : challenge.scopes;
  co_return out;
}

}  // namespace host::upstream::oauth
