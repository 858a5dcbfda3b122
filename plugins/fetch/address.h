// URLs in one spelling, so that a rule about them cannot be evaded by another.
#pragma once

#include <string>
#include <string_view>

struct Address {
  std::string
      origin;  // https://docs.example, in small letters, without a default port or a final dot
  std::string rest;  // from the first slash on, without a fragment

  std::string text() const { return origin + rest; }
};

// Throws toolpost::Error for what is no plain http or https URL: names and passwords in it, parts
// that climb, spaces, backslashes, hosts with escapes, ports that are none.
Address parse_address(const std::string& url);

// `*` is any characters, a slash too; all else is itself.
bool address_fits(std::string_view pattern, std::string_view address);
