// The class of a tool, which its name determines. The prefix of the name decides who can see and
// call the tool. router/view/router.h applies the rules.
#pragma once

#include <string_view>

namespace host::tool {

enum class Class { Standard, Internal, Pre, Post, Private, Upstream };

// Returns the class for the first matching prefix of priv_, pre_, post_, mcp_ and _. A name with
// none of these prefixes has the class Standard.
Class classify(std::string_view name);

// Returns the class as a word for messages: standard, internal, pre, post, private or upstream.
std::string_view to_string(Class value);

// Returns true if the host has its own tool of this name, whether it currently offers that tool or
// not. Plugins cannot use a reserved name.
bool is_reserved(std::string_view name);

// Returns the name without the prefix of its class, so x for x, pre_x, post_x and priv_x.
std::string_view stem(std::string_view name);

}  // namespace host::tool
