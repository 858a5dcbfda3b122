// The name of a tool determines the tool's class. The prefix of a tool's name decides who can see
// and call the tool. router/view/router.h applies the rules.
#pragma once

#include <string_view>

namespace host::tool {

enum class Class { Standard, Internal, Pre, Post, Private, Upstream };

// Returns the class for the first of the prefixes priv_, pre_, post_, mcp_ and _ that the name has.
// If a name has no prefix of a class, the tool's class is Standard.
Class classify(std::string_view name);

// Returns the class as a word for messages: standard, internal, pre, post, private or upstream.
std::string_view to_string(Class value);

// Returns true if the host has its own tool of this name, whether it currently offers that tool or
// not. Plugins cannot use a reserved name.
bool is_reserved(std::string_view name);

// Returns the tool's name without the prefix of its class: x for x, pre_x, post_x and priv_x.
std::string_view stem(std::string_view name);

}  // namespace host::tool
