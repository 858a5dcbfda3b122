// What anybody may send to log in, and what browsers send with each request of a login. Five lines:
// Host, Cookie, X-Toolpost-Login, Sec-Fetch-Site, Content-Type; the rest is the body.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "admin/login_request.h"
#include "identity/keyring.h"
#include "identity/page_login.h"
#include "identity/secret.h"

namespace {

using namespace host;

constexpr std::string_view kCookie = "cookie-of-the-login";
constexpr std::string_view kPageSecret = "secret-of-the-page";

void must(bool held) {
  if (!held) std::abort();
}

class StoppedClock final : public Clock {
 public:
  SteadyTime steady() const override { return {}; }
  WallTime wall() const override { return WallTime(std::chrono::hours(1)); }
};

class Request final : public transport::HttpRequest {
 public:
  explicit Request(std::string_view text) {
    for (std::string& field : fields_) {
      const std::size_t end = text.find('\n');
      field = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    body_ = text;
  }

  std::string_view method() const override { return "POST"; }
  std::string_view path() const override { return "/v1/login"; }
  std::string_view query() const override { return {}; }
  std::string_view header(std::string_view name) const override {
    constexpr std::array<std::string_view, 5> kNames = {"Host", "Cookie", "X-Toolpost-Login",
                                                        "Sec-Fetch-Site", "Content-Type"};
    for (std::size_t i = 0; i < kNames.size(); ++i)
      if (kNames[i] == name && fields_[i] != "-") return fields_[i];
    return {};
  }
  std::string_view body() const override { return body_; }
  std::string_view remote() const override { return "127.0.0.1"; }

 private:
  std::array<std::string, 5> fields_;
  std::string body_;
};

const identity::Keyring& keyring_with_one_login() {
  static const StoppedClock clock;
  static const identity::Keyring made = [] {
    identity::Keyring keyring(clock);
    store::LoginRecord login;
    login.id = "login";
    login.secret = identity::digest_of_secret(kCookie);
    login.page_secret = identity::digest_of_secret(kPageSecret);
    login.key = "key";
    login.expires = clock.wall() + std::chrono::hours(1);
    keyring.set({{"key", "anna", 7, {}, {}, false}}, {login});
    return keyring;
  }();
  return made;
}

// Found by another way than the host's: the first part of the header that is name, "=", value.
std::string_view cookie_in(std::string_view header, const std::string& name) {
  for (std::size_t at = 0; at <= header.size();) {
    const std::size_t end = std::min(header.find(';', at), header.size());
    const std::size_t begin = std::min(header.find_first_not_of(' ', at), end);
    const std::string_view part = header.substr(begin, end - begin);
    if (part.starts_with(name + "=")) return part.substr(name.size() + 1);
    at = end + 1;
  }
  return {};
}

void check_name(const std::string& name) {
  must(name.starts_with("__Host-toolpost") && name.size() <= 21);
  must(name.find_first_of(" ;=,\"\r\n") == std::string::npos);
}

void check_login(const Request& request) {
  const std::string name = identity::login_cookie_name(request);
  check_name(name);
  const identity::ShownLogin shown = identity::shown_login(request);
  must(shown.cookie == cookie_in(request.header("Cookie"), name));
  must(shown.page_secret == request.header("X-Toolpost-Login"));
  const bool both = shown.cookie == kCookie && shown.page_secret == kPageSecret;
  must((keyring_with_one_login().find_login(shown) != nullptr) == both);
  if (identity::is_from_own_page(request)) {
    const std::string_view site = request.header("Sec-Fetch-Site");
    must(!site.data() || site == "same-origin");
  }
}

void check_request(const Request& request) {
  const auto read = admin::read_login_request(request);
  if (!read) return must(!read.error().message.empty());
  must(read->link.empty() != read->key.empty());
  if (const auto id = identity::id_of(read->key)) must(id->size() == 12);
  must(!keyring_with_one_login().find_key(read->key));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Request request({reinterpret_cast<const char*>(data), size});
  check_login(request);
  check_request(request);
  return 0;
}
