#include "json/schema/format/format.h"

#include <array>

#include "json/schema/format/format_checks.h"
#include "json/schema/regex/pattern.h"

namespace host::json::schema {
namespace {

constexpr std::array<Format, 18> kFormats = {{
    {"date-time", is_date_time, "a date and time such as 2026-11-21T08:30:00Z"},
    {"date", is_date, "a date such as 2026-11-21"},
    {"time", is_time, "a time with its zone such as 08:30:00Z"},
    {"email", is_email, "an email address"},
    {"idn-email", is_idn_email, "an email address"},
    {"hostname", is_hostname, "a host name"},
    {"ipv4", is_ipv4, "an IPv4 address such as 192.0.2.1"},
    {"ipv6", is_ipv6, "an IPv6 address such as 2001:db8::1"},
    {"uri", is_uri, "an absolute URI"},
    {"uri-reference", is_uri_reference, "a URI or a relative reference"},
    {"iri", is_iri, "an absolute IRI"},
    {"iri-reference", is_iri_reference, "an IRI or a relative reference"},
    {"uri-template", is_uri_template, "a URI template"},
    {"json-pointer", is_json_pointer, "a JSON pointer such as /rows/0"},
    {"relative-json-pointer", is_relative_json_pointer, "a relative JSON pointer such as 1/name"},
    {"regex", is_regular_expression, "a regular expression"},
    {"duration", is_duration, "a duration such as P1DT12H"},
    {"uuid", is_uuid, "a UUID such as 2eb8aa08-aa98-11ea-b4aa-73b441d16380"},
}};
constexpr std::size_t kNewSinceDraft7 = 2;  // at the end of the list

}  // namespace

const Format* find_format(std::string_view name, bool draft7) {
  const std::size_t count = kFormats.size() - (draft7 ? kNewSinceDraft7 : 0);
  for (std::size_t i = 0; i < count; ++i) {
    if (kFormats[i].name == name) return &kFormats[i];
  }
  return nullptr;
}

}  // namespace host::json::schema
