// Offers skills as MCP resources and prompts. Each SKILL.md is a listed resource, and clients can
// read every other file of a skill by its URI. Each skill is also a prompt that a user can choose.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "skill/catalog.h"
#include "tool/call/result.h"
#include "tool/definition/offer.h"

namespace host::builtin {

tool::Offer offer_of(const std::vector<std::shared_ptr<const skill::Skill>>& skills);

// The results of read_resource() and prompt_of() have the form that tool/definition/offer.h
// describes.
Result<tool::CallResult> read_resource(skill::Catalog& catalog, std::string_view uri);
Result<tool::CallResult> prompt_of(const skill::Skill& skill, const tool::CallResult& whole);

}  // namespace host::builtin
