#include "json/schema/dialect.h"

#include <array>
#include <utility>

#include "json/schema/uri.h"
#include "json/schema/values.h"

namespace host::json::schema {
namespace {

constexpr std::string_view kDraft2020 = "https://json-schema.org/draft/2020-12/schema";
constexpr std::string_view kDraft7 = "http://json-schema.org/draft-07/schema";
constexpr std::string_view kVocabularyBase = "https://json-schema.org/draft/2020-12/vocab/";

struct Known {
  std::string_view name;
  std::uint8_t bit;
};

constexpr std::uint8_t bit(Vocabulary vocabulary) {
  return static_cast<std::uint8_t>(vocabulary);
}

constexpr std::array<Known, 8> kVocabularies = {
    {{"core", bit(Vocabulary::Core)},
     {"applicator", bit(Vocabulary::Applicator)},
     {"unevaluated", bit(Vocabulary::Unevaluated)},
     {"validation", bit(Vocabulary::Validation)},
     {"format-assertion", bit(Vocabulary::FormatAssertion)},
     {"format-annotation", 0},
     {"content", 0},
     {"meta-data", 0}}};

const Known* find_vocabulary(std::string_view uri) {
  if (!uri.starts_with(kVocabularyBase)) return nullptr;
  for (const Known& known : kVocabularies) {
    if (uri.substr(kVocabularyBase.size()) == known.name) return &known;
  }
  return nullptr;
}

Result<Dialect> from_vocabularies(const Value& list, std::string_view schema_uri,
                                  const Options& options) {
  Dialect dialect;
  dialect.vocabularies = options.assert_formats ? bit(Vocabulary::FormatAssertion) : 0;
  for (const auto& member : list.GetObject()) {
    const bool required = member.value.IsTrue();
    if (const Known* const known = find_vocabulary(text(member.name))) {
      dialect.vocabularies |= known->bit;
    } else if (required) {
      return Error{ErrorKind::InvalidArgument,
                   "meta-schema " + quoted(schema_uri) + " requires the vocabulary " +
                       quoted(text(member.name)) + ", which is not supported"};
    }
  }
  return dialect;
}

}  // namespace

Dialect default_dialect(Draft draft, const Options& options) {
  Dialect dialect;
  dialect.draft = draft;
  dialect.vocabularies = bit(Vocabulary::Core) | bit(Vocabulary::Applicator) |
                         bit(Vocabulary::Unevaluated) | bit(Vocabulary::Validation);
  if (options.assert_formats) dialect.vocabularies |= bit(Vocabulary::FormatAssertion);
  return dialect;
}

Result<Dialect> dialect_of(std::string_view schema_uri, const Options& options) {
  const SplitUri parts = split_fragment(schema_uri);
  if (parts.fragment.empty()) {
    if (parts.without_fragment == kDraft2020) return default_dialect(Draft::Draft2020, options);
    if (parts.without_fragment == kDraft7 ||
        parts.without_fragment == "https://json-schema.org/draft-07/schema") {
      return default_dialect(Draft::Draft7, options);
    }
    if (options.resolve) {
      const Value* const meta = options.resolve(parts.without_fragment);
      if (meta != nullptr && find_text(*meta, "$schema") == kDraft2020) {
        const Value* const list = find(*meta, "$vocabulary");
        if (list != nullptr && list->IsObject()) {
          return from_vocabularies(*list, schema_uri, options);
        }
        return default_dialect(Draft::Draft2020, options);
      }
    }
  }
  return Error{ErrorKind::InvalidArgument, "`$schema` " + quoted(schema_uri) +
                                               " is not supported: use " + std::string(kDraft2020) +
                                               " or " + std::string(kDraft7) + "#"};
}

}  // namespace host::json::schema
