// Declares one check function for each value of the keyword `format`. The check functions check
// only the syntax of values. The functions make no DNS or network requests.
#pragma once

#include <string_view>

namespace host::json::schema {

bool is_date(std::string_view text);       // RFC 3339 full-date; the day must exist
bool is_time(std::string_view text);       // RFC 3339 full-time; a leap second only at 23:59:60 UTC
bool is_date_time(std::string_view text);  // RFC 3339
bool is_duration(std::string_view text);   // RFC 3339, appendix A

bool is_hostname(std::string_view text);   // RFC 1123; `xn--` labels are not decoded
bool is_email(std::string_view text);      // RFC 5321 Mailbox
bool is_idn_email(std::string_view text);  // RFC 6531
bool is_ipv4(std::string_view text);       // RFC 2673
bool is_ipv6(std::string_view text);       // RFC 4291

bool is_uri(std::string_view text);            // RFC 3986
bool is_uri_reference(std::string_view text);  // RFC 3986
bool is_iri(std::string_view text);            // RFC 3987
bool is_iri_reference(std::string_view text);  // RFC 3987
bool is_uri_template(std::string_view text);   // RFC 6570

bool is_uuid(std::string_view text);                   // RFC 4122
bool is_json_pointer(std::string_view text);           // RFC 6901
bool is_relative_json_pointer(std::string_view text);  // draft-handrews-relative-json-pointer-01

}  // namespace host::json::schema
