# What Ruby makes of a URI.
Puppet::Functions.create_function(:'t::uri') do
  def uri(text)
    uri = URI(text)
    more = uri.is_a?(URI::LDAP) ? [uri.dn, uri.attributes, uri.scope, uri.filter, uri.extensions] : []
    [uri.class.to_s, uri.to_s, uri.scheme, uri.host, uri.port, uri.path, uri.query, uri.hierarchical?, uri.component.map(&:to_s), more]
  rescue URI::InvalidURIError => e
    "invalid: #{e.message}"
  end
end
