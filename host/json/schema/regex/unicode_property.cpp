#include "json/schema/regex/unicode_property.h"

#include <algorithm>
#include <array>
#include <utility>

namespace host::json::schema {
namespace {

using Alias = std::pair<std::string_view, std::string_view>;

// General_Category by long name (Unicode's PropertyValueAliases.txt).
constexpr std::array<Alias, 43> kCategories = {{{"Other", "C"},
                                                {"Control", "Cc"},
                                                {"cntrl", "Cc"},
                                                {"Format", "Cf"},
                                                {"Unassigned", "Cn"},
                                                {"Private_Use", "Co"},
                                                {"Surrogate", "Cs"},
                                                {"Letter", "L"},
                                                {"Cased_Letter", "L&"},
                                                {"LC", "L&"},
                                                {"Lowercase_Letter", "Ll"},
                                                {"Modifier_Letter", "Lm"},
                                                {"Other_Letter", "Lo"},
                                                {"Titlecase_Letter", "Lt"},
                                                {"Uppercase_Letter", "Lu"},
                                                {"Mark", "M"},
                                                {"Combining_Mark", "M"},
                                                {"Spacing_Mark", "Mc"},
                                                {"Enclosing_Mark", "Me"},
                                                {"Nonspacing_Mark", "Mn"},
                                                {"Number", "N"},
                                                {"Decimal_Number", "Nd"},
                                                {"digit", "Nd"},
                                                {"Letter_Number", "Nl"},
                                                {"Other_Number", "No"},
                                                {"Punctuation", "P"},
                                                {"punct", "P"},
                                                {"Connector_Punctuation", "Pc"},
                                                {"Dash_Punctuation", "Pd"},
                                                {"Close_Punctuation", "Pe"},
                                                {"Final_Punctuation", "Pf"},
                                                {"Initial_Punctuation", "Pi"},
                                                {"Other_Punctuation", "Po"},
                                                {"Open_Punctuation", "Ps"},
                                                {"Symbol", "S"},
                                                {"Currency_Symbol", "Sc"},
                                                {"Modifier_Symbol", "Sk"},
                                                {"Math_Symbol", "Sm"},
                                                {"Other_Symbol", "So"},
                                                {"Separator", "Z"},
                                                {"Space_Separator", "Zs"},
                                                {"Line_Separator", "Zl"},
                                                {"Paragraph_Separator", "Zp"}}};

constexpr std::array<std::string_view, 37> kShort = {
    "C",  "Cc", "Cf", "Cn", "Co", "Cs", "L",  "Ll", "Lm", "Lo", "Lt", "Lu", "M",
    "Mc", "Me", "Mn", "N",  "Nd", "Nl", "No", "P",  "Pc", "Pd", "Pe", "Pf", "Pi",
    "Po", "Ps", "S",  "Sc", "Sk", "Sm", "So", "Z",  "Zl", "Zp", "Zs"};

std::string category(std::string_view name) {
  for (const auto& [known, code] : kCategories) {
    if (known == name) return std::string(code);
  }
  const bool known = std::find(kShort.begin(), kShort.end(), name) != kShort.end();
  return known ? std::string(name) : std::string();
}

bool is_word(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

std::string pcre2_property(std::string_view name) {
  const std::size_t equals = name.find('=');
  if (equals == std::string_view::npos) {
    const std::string known = category(name);
    if (!known.empty()) return known;
    // A binary property, such as Alphabetic: PCRE2 judges the name, less its own additions.
    const bool own = name.size() == 3 && name[0] == 'X';
    return is_word(name) && !own ? std::string(name) : std::string();
  }
  const std::string_view key = name.substr(0, equals);
  const std::string_view value = name.substr(equals + 1);
  if (!is_word(value)) return {};
  if (key == "General_Category" || key == "gc") return category(value);
  if (key == "Script" || key == "sc") return "sc:" + std::string(value);
  if (key == "Script_Extensions" || key == "scx") return "scx:" + std::string(value);
  return {};
}

}  // namespace host::json::schema
