#include "tool/definition/standing.h"

#include "tool/definition/tool.h"

namespace host::tool {
namespace {

Reads reads_of(const Declaration& declared) {
  if (!declared.may_only_read) return Reads::Never;
  if (declared.has_check_read_only) return Reads::ByCheck;
  if (declared.read_only) return Reads::Always;
  return declared.command_arg.empty() ? Reads::Never : Reads::ByCommand;
}

OwnYes own_yes_of(const Declaration& declared, ProviderIdentity::Kind kind) {
  if (kind == ProviderIdentity::Kind::Host)
    return declared.not_in_explore ? OwnYes::NotInExplore : OwnYes::Always;
  // The client runs it itself, so it needs no approval of the host's. In explore mode the host
  // allows only what it knows to read.
  if (kind == ProviderIdentity::Kind::Session) return OwnYes::NotInExplore;
  const bool may = declared.has_check_permissions && declared.trust == config::Trust::Full;
  return may ? OwnYes::ByCheck : OwnYes::Never;
}

}  // namespace

Standing standing_of(const Declaration& declared, ProviderIdentity::Kind kind) {
  return {declared.trust, reads_of(declared), own_yes_of(declared, kind),
          declared.trust == config::Trust::Full};
}

std::string_view to_string(Reads reads) {
  switch (reads) {
    case Reads::Never:
      return "never";
    case Reads::ByCheck:
      return "by_check";
    case Reads::ByCommand:
      return "by_command";
    case Reads::Always:
      return "always";
  }
  return "never";
}

std::string_view to_string(OwnYes own_yes) {
  switch (own_yes) {
    case OwnYes::Never:
      return "never";
    case OwnYes::ByCheck:
      return "by_check";
    case OwnYes::NotInExplore:
      return "not_in_explore";
    case OwnYes::Always:
      return "always";
  }
  return "never";
}

std::string_view to_string(config::Trust trust) {
  switch (trust) {
    case config::Trust::Full:
      return "full";
    case config::Trust::ReadOnly:
      return "read_only";
    case config::Trust::None:
      return "none";
  }
  return "none";
}

std::string as_json(const Standing& standing) {
  std::string text = "{\"trust\":\"";
  text.append(to_string(standing.trust)).append("\",\"reads_only\":\"");
  text.append(to_string(standing.reads)).append("\",\"allows_itself\":\"");
  return text.append(to_string(standing.own_yes)).append("\"}");
}

std::string describe(const Standing& standing) {
  std::string text = "trust: ";
  text.append(to_string(standing.trust)).append("; reads only: ");
  text.append(to_string(standing.reads)).append("; allows itself: ");
  return text.append(to_string(standing.own_yes));
}

}  // namespace host::tool
