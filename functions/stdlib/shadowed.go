package stdlib

// shadowed are the 3.x functions of stdlib 8.5 behind which Puppet has a newer one of the same name. Puppet code gets the newer one;
// templates that call scope.function_name, and validate_legacy, get these.
func shadowed() []old { return nil }

// Shadowed is a 3.x function that templates may call although Puppet code sees a newer one of that name.
