// The functions of this header check the form of texts in a configuration. Each function of this
// header returns nullptr if the text has the right form, otherwise a description of the right form.
#pragma once

#include <string_view>

namespace host::config {

const char* tool_name_form(std::string_view text);
const char* plugin_name_form(std::string_view text);
const char* agent_name_form(std::string_view text);
const char* upstream_name_form(std::string_view text);
const char* webhook_id_form(std::string_view text);
const char* group_form(std::string_view text);
const char* not_empty(std::string_view text);
const char* host_form(std::string_view text);
const char* origin_form(std::string_view text);
const char* https_origin_form(std::string_view text);
const char* net_form(std::string_view text);
const char* signing_key_form(std::string_view text);
const char* command_form(std::string_view text);
const char* upstream_url_form(std::string_view text);
const char* document_form(std::string_view text);
const char* api_origin_form(std::string_view text);
const char* client_id_form(std::string_view text);
const char* client_metadata_form(std::string_view text);
const char* argument_form(std::string_view text);
const char* pattern_form(std::string_view text);
const char* uri_pattern_form(std::string_view text);
const char* prompt_pattern_form(std::string_view text);
const char* endpoint_form(std::string_view text);
const char* token_scope_form(std::string_view text);
const char* scope_form(std::string_view text);
const char* variable_form(std::string_view text);

}  // namespace host::config
