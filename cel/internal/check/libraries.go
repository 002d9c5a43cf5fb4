package check

import (
	"github.com/crdkit/crdkit/internal/since"
	"github.com/google/cel-go/common/types"
)

// The functions of the libraries beyond the language itself: cel-go's and those of Kubernetes.

// The types that the libraries bring. Those of addresses are opaque, the others are objects without fields: selecting a field has
// another text for each (CER-030).
var (
	ipType       = types.NewOpaqueType("net.IP")
	cidrType     = types.NewOpaqueType("net.CIDR")
	urlType      = types.NewObjectType("kubernetes.URL")
	quantityType = types.NewObjectType("kubernetes.Quantity")
	semverType   = types.NewObjectType("kubernetes.Semver")
	formatType   = types.NewObjectType("kubernetes.NamedFormat")

	authorizerType    = types.NewObjectType("kubernetes.authorization.Authorizer")
	pathCheckType     = types.NewObjectType("kubernetes.authorization.PathCheck")
	groupCheckType    = types.NewObjectType("kubernetes.authorization.GroupCheck")
	resourceCheckType = types.NewObjectType("kubernetes.authorization.ResourceCheck")
	decisionType      = types.NewObjectType("kubernetes.authorization.Decision")
)

// stringFunctions are cel-go's strings extension in version 2 (CEN-022).
func stringFunctions() []function {
	return []function{
		fn("charAt", method("string_char_at_int", str, str, integer)),
		fn("indexOf",
			method("string_index_of_string", integer, str, str),
			method("string_index_of_string_int", integer, str, str, integer)),
		fn("lastIndexOf",
			method("string_last_index_of_string", integer, str, str),
			method("string_last_index_of_string_int", integer, str, str, integer)),
		fn("lowerAscii", method("string_lower_ascii", str, str)),
		fn("upperAscii", method("string_upper_ascii", str, str)),
		fn("trim", method("string_trim", str, str)),
		fn("replace",
			method("string_replace_string_string", str, str, str, str),
			method("string_replace_string_string_int", str, str, str, str, integer)),
		fn("split",
			method("string_split_string", list(str), str, str),
			method("string_split_string_int", list(str), str, str, integer)),
		fn("substring",
			method("string_substring_int", str, str, integer),
			method("string_substring_int_int", str, str, integer, integer)),
		fn("join",
			method("list_join", str, list(str)),
			method("list_join_string", str, list(str), str)),
		fn("format", method("string_format", str, str, list(dyn)).from(since.StringFormat)),
		fn("strings.quote", global("strings_quote", str, str).from(since.StringFormat)),
	}
}

// sets are cel-go's sets extension (CEN-023).
func sets() []function {
	return []function{
		fn("sets.contains", global("list_sets_contains_list", boolean, list(anyT), list(anyT))),
		fn("sets.equivalent", global("list_sets_equivalent_list", boolean, list(anyT), list(anyT))),
		fn("sets.intersects", global("list_sets_intersects_list", boolean, list(anyT), list(anyT))),
	}
}

// listFunctions are cel-go's lists extension in version 3 (CEN-024).
func listFunctions() []function {
	// The ids of these overloads have the types' full names.
	comparable := []struct {
		name string
		typ  *types.Type
	}{
		{"int", integer},
		{"uint", unsigned},
		{"double", double},
		{"bool", boolean},
		{"google.protobuf.Duration", duration},
		{"google.protobuf.Timestamp", timestamp},
		{"string", str},
		{"bytes", octets},
	}
	sort, sortByKeys := fn("sort"), fn("@sortByAssociatedKeys")
	for _, c := range comparable {
		sort.overloads = append(sort.overloads, method("list_"+c.name+"_sort", list(c.typ), list(c.typ)))
		sortByKeys.overloads = append(sortByKeys.overloads, method("list_"+c.name+"_sortByAssociatedKeys", list(anyT), list(anyT), list(c.typ)))
	}
	return []function{
		fn("slice", method("list_slice", list(anyT), list(anyT), integer, integer)),
		fn("flatten",
			method("list_flatten", list(anyT), list(list(anyT))),
			method("list_flatten_int", list(dyn), list(dyn), integer)),
		sort,
		sortByKeys,
		fn("lists.range", global("lists_range", list(integer), integer)),
		fn("reverse", method("list_reverse", list(anyT), list(anyT))),
		fn("distinct", method("list_distinct", list(anyT), list(anyT))),
	}
}

// comprehensions are what the expansions of transformMap and transformMapEntry call (CEN-010).
func comprehensions() []function {
	return []function{
		fn("cel.@mapInsert",
			global("@mapInsert_map_key_value", dict(anyK, anyV), dict(anyK, anyV), anyK, anyV),
			global("@mapInsert_map_map", dict(anyK, anyV), dict(anyK, anyV), dict(anyK, anyV))),
	}
}

// optionals are the functions and operators of optional values in version 2 (CEN-020, CEN-025).
func optionals() []function {
	return []function{
		fn("optional.of", global("optional_of", optional(anyV), anyV)),
		fn("optional.ofNonZeroValue", global("optional_ofNonZeroValue", optional(anyV), anyV)),
		fn("optional.none", global("optional_none", optional(anyV))),
		fn("value", method("optional_value", anyV, optional(anyV))),
		fn("hasValue", method("optional_hasValue", boolean, optional(anyV))),
		fn("or", method("optional_or_optional", optional(anyV), optional(anyV), optional(anyV))),
		fn("orValue", method("optional_orValue_value", anyV, optional(anyV), anyV)),
		fn("_?._", global("select_optional_field", optional(anyV), dyn, str)),
		fn("_[?_]",
			global("list_optindex_optional_int", optional(anyV), list(anyV), integer),
			global("optional_list_optindex_optional_int", optional(anyV), optional(list(anyV)), integer),
			global("map_optindex_optional_value", optional(anyV), dict(anyK, anyV), anyK),
			global("optional_map_optindex_optional_value", optional(anyV), optional(dict(anyK, anyV)), anyK)),
		fn("_[_]",
			global("optional_list_index_int", optional(anyV), optional(list(anyV)), integer),
			global("optional_map_index_value", optional(anyV), optional(dict(anyK, anyV)), anyK)),
		fn("last", method("list_last", optional(anyV), list(anyV)).from(since.OptionalLists)),
		fn("first", method("list_first", optional(anyV), list(anyV)).from(since.OptionalLists)),
		fn("optional.unwrap", global("optional_unwrap", list(anyV), list(optional(anyV))).from(since.OptionalLists)),
		fn("unwrapOpt", method("optional_unwrapOpt", list(anyV), list(optional(anyV))).from(since.OptionalLists)),
	}
}

// kubernetesLists are the list functions of Kubernetes that every version has (CEN-026).
func kubernetesLists() []function {
	comparable := []struct {
		name string
		typ  *types.Type
	}{
		{"int", integer},
		{"uint", unsigned},
		{"double", double},
		{"bool", boolean},
		{"duration", duration},
		{"timestamp", timestamp},
		{"string", str},
		{"bytes", octets},
	}
	isSorted, sum, lowest, highest := fn("isSorted"), fn("sum"), fn("min"), fn("max")
	for _, c := range comparable {
		isSorted.overloads = append(isSorted.overloads, method("list_"+c.name+"_is_sorted_bool", boolean, list(c.typ)))
		lowest.overloads = append(lowest.overloads, method("list_"+c.name+"_min_"+c.name, c.typ, list(c.typ)))
		highest.overloads = append(highest.overloads, method("list_"+c.name+"_max_"+c.name, c.typ, list(c.typ)))
		switch c.typ {
		case integer, unsigned, double, duration:
			sum.overloads = append(sum.overloads, method("list_"+c.name+"_sum_"+c.name, c.typ, list(c.typ)))
		}
	}
	return []function{
		isSorted,
		sum,
		lowest,
		highest,
		fn("indexOf", method("list_a_index_of_int", integer, list(anyA), anyA)),
		fn("lastIndexOf", method("list_a_last_index_of_int", integer, list(anyA), anyA)),
	}
}

// includes is what only stored expressions may call (CEN-001, CEN-026).
func includes() []function {
	return []function{
		fn("includes", method("list_includes_dyn_dyn", boolean, dyn, dyn)),
	}
}

// regex are the regular expressions of Kubernetes (CEN-027).
func regex() []function {
	return []function{
		fn("find", method("string_find_string", str, str, str)),
		fn("findAll",
			method("string_find_all_string", list(str), str, str),
			method("string_find_all_string_int", list(str), str, str, integer)),
	}
}

// urls: CEN-028.
func urls() []function {
	return []function{
		fn("url", global("string_to_url", urlType, str)),
		fn("isURL", global("is_url_string", boolean, str)),
		fn("getScheme", method("url_get_scheme", str, urlType)),
		fn("getHost", method("url_get_host", str, urlType)),
		fn("getHostname", method("url_get_hostname", str, urlType)),
		fn("getPort", method("url_get_port", str, urlType)),
		fn("getEscapedPath", method("url_get_escaped_path", str, urlType)),
		fn("getQuery", method("url_get_query", dict(str, list(str)), urlType)),
	}
}

// addresses are the functions of IP addresses (CEN-029).
func addresses() []function {
	return []function{
		fn("ip", global("string_to_ip", ipType, str)),
		fn("isIP", global("is_ip", boolean, str)),
		fn("ip.isCanonical", global("ip_is_canonical", boolean, str)),
		fn("family", method("ip_family", integer, ipType)),
		fn("isUnspecified", method("ip_is_unspecified", boolean, ipType)),
		fn("isLoopback", method("ip_is_loopback", boolean, ipType)),
		fn("isLinkLocalMulticast", method("ip_is_link_local_multicast", boolean, ipType)),
		fn("isLinkLocalUnicast", method("ip_is_link_local_unicast", boolean, ipType)),
		fn("isGlobalUnicast", method("ip_is_global_unicast", boolean, ipType)),
		fn("string", global("ip_to_string", str, ipType)),
	}
}

// networks are the functions of address ranges (CEN-030).
func networks() []function {
	return []function{
		fn("cidr", global("string_to_cidr", cidrType, str)),
		fn("isCIDR", global("is_cidr", boolean, str)),
		fn("containsIP",
			method("cidr_contains_ip_string", boolean, cidrType, str),
			method("cidr_contains_ip_ip", boolean, cidrType, ipType)),
		fn("containsCIDR",
			method("cidr_contains_cidr_string", boolean, cidrType, str),
			method("cidr_contains_cidr", boolean, cidrType, cidrType)),
		fn("ip", method("cidr_ip", ipType, cidrType)),
		fn("prefixLength", method("cidr_prefix_length", integer, cidrType)),
		fn("masked", method("cidr_masked", cidrType, cidrType)),
		fn("string", global("cidr_to_string", str, cidrType)),
	}
}

// quantities: CEN-031.
func quantities() []function {
	return []function{
		fn("quantity", global("string_to_quantity", quantityType, str)),
		fn("isQuantity", global("is_quantity_string", boolean, str)),
		fn("sign", global("quantity_sign", integer, quantityType)),
		fn("isInteger", method("quantity_is_integer", boolean, quantityType)),
		fn("asInteger", method("quantity_get_int", integer, quantityType)),
		fn("asApproximateFloat", method("quantity_get_float", double, quantityType)),
		fn("add",
			method("quantity_add", quantityType, quantityType, quantityType),
			method("quantity_add_int", quantityType, quantityType, integer)),
		fn("sub",
			method("quantity_sub", quantityType, quantityType, quantityType),
			method("quantity_sub_int", quantityType, quantityType, integer)),
		fn("isLessThan", method("quantity_is_less_than", boolean, quantityType, quantityType)),
		fn("isGreaterThan", method("quantity_is_greater_than", boolean, quantityType, quantityType)),
		fn("compareTo", method("quantity_compare_to", integer, quantityType, quantityType)),
	}
}

// versions are the functions of semantic versions, with those that normalise (CEN-032).
func versions() []function {
	return []function{
		fn("semver",
			global("string_to_semver", semverType, str),
			global("string_bool_to_semver", semverType, str, boolean)),
		fn("isSemver",
			global("is_semver_string", boolean, str),
			global("is_semver_string_bool", boolean, str, boolean)),
		fn("major", method("semver_major", integer, semverType)),
		fn("minor", method("semver_minor", integer, semverType)),
		fn("patch", method("semver_patch", integer, semverType)),
		fn("isLessThan", method("semver_is_less_than", boolean, semverType, semverType)),
		fn("isGreaterThan", method("semver_is_greater_than", boolean, semverType, semverType)),
		fn("compareTo", method("semver_compare_to", integer, semverType, semverType)),
	}
}

// formats are the named formats of strings (CEN-033).
func formats() []function {
	functions := []function{
		fn("format.named", global("format-named", optional(formatType), str)),
		fn("validate", method("format-validate", optional(list(str)), formatType, str)),
	}
	for _, name := range []string{
		"dns1123Label", "dns1123Subdomain", "dns1035Label", "qualifiedName",
		"dns1123LabelPrefix", "dns1123SubdomainPrefix", "dns1035LabelPrefix",
		"labelValue", "uri", "uuid", "byte", "date", "datetime",
	} {
		functions = append(functions, fn("format."+name, global("format."+name, formatType)))
	}
	return functions
}

// authorization: CEN-034. A rule has no authorizer, so these only decide which text a wrong call has.
func authorization() []function {
	return []function{
		fn("path", method("authorizer_path", pathCheckType, authorizerType, str)),
		fn("group", method("authorizer_group", groupCheckType, authorizerType, str)),
		fn("serviceAccount", method("authorizer_serviceaccount", authorizerType, authorizerType, str, str)),
		fn("resource", method("groupcheck_resource", resourceCheckType, groupCheckType, str)),
		fn("subresource", method("resourcecheck_subresource", resourceCheckType, resourceCheckType, str)),
		fn("namespace", method("resourcecheck_namespace", resourceCheckType, resourceCheckType, str)),
		fn("name", method("resourcecheck_name", resourceCheckType, resourceCheckType, str)),
		fn("check",
			method("pathcheck_check", decisionType, pathCheckType, str),
			method("resourcecheck_check", decisionType, resourceCheckType, str)),
		fn("errored", method("decision_errored", boolean, decisionType)),
		fn("error", method("decision_error", str, decisionType)),
		fn("allowed", method("decision_allowed", boolean, decisionType)),
		fn("reason", method("decision_reason", str, decisionType)),
	}
}

// authorizationSelectors: CEN-034.
func authorizationSelectors() []function {
	return []function{
		fn("fieldSelector", method("authorizer_fieldselector", resourceCheckType, resourceCheckType, str)),
		fn("labelSelector", method("authorizer_labelselector", resourceCheckType, resourceCheckType, str)),
	}
}
