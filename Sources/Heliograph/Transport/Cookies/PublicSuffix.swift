import Foundation

/// The public suffixes: domains under which names can be registered publicly, for which no cookie is set.
///
/// Four rules replace the Public Suffix List (publicsuffix.org), from which the names are taken:
///
/// 1. A single label is a suffix: `com`, `de`, `localhost`.
/// 2. A generic label below a country's domain is a suffix: `co.uk`, `com.br`, `or.jp`.
/// 3. Each name of the two tables is a suffix: other registries, and hosting providers with a subdomain for each
///    customer.
/// 4. Each name below the domain of a provider with a suffix for each region is a suffix:
///    `execute-api.eu-west-1.amazonaws.com`.
///
/// The list has some 10,000 entries. Regional registries (`k12.ca.us`, `city.kawasaki.jp`, those of Norway), most
/// hosting providers, and names in non-Latin scripts are not covered. A name that matches rule 2 but is not a registry
/// (`go.de`), or rule 4 but is a customer's, loses only the cookies for all of its subdomains.
enum PublicSuffix {
  /// Returns whether a domain, in lower case and without a leading dot, is a public suffix.
  static func contains(_ domain: Substring) -> Bool {
    // A trailing dot only marks the name as fully qualified.
    if domain.hasSuffix(".") { return contains(domain.dropLast()) }
    let labels = domain.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
    if labels.count < 2 { return true }
    if labels.count == 2, labels[1].utf8.count == 2, generic.contains(String(labels[0])) { return true }
    return names.contains(String(domain)) || regional.contains { domain.hasSuffix($0) }
  }

  /// Returns the registered domain of a host in lower case: a suffix with one label before it, or else the host.
  static func site(of host: String) -> Substring {
    if host.isNumericHost || contains(host[...]) { return host[...] }
    var site = host[...]
    var suffix = site
    while let dot = suffix.firstIndex(of: ".") {
      suffix = suffix[suffix.index(after: dot)...]
      // Checked from the left, so that the longest suffix is found first.
      if contains(suffix) { return site }
      site = suffix
    }
    return host[...]
  }

  private static let generic: Set<String> = [
    "ac", "co", "com", "edu", "go", "gob", "gouv", "gov", "govt", "gub", "mil", "ne", "net", "nom", "or", "org",
  ]

  private static let regional = [
    ".amazonaws.com", ".amazonaws.com.cn", ".on.aws", ".elasticbeanstalk.com", ".run.app", ".azurewebsites.net",
    ".azurestaticapps.net", ".azurecontainerapps.io", ".cloudapp.azure.com",
  ]

  private static let names: Set<String> = [
    // Registries.
    "ltd.uk", "me.uk", "nhs.uk", "plc.uk", "police.uk", "sch.uk", "ad.jp", "ed.jp", "gr.jp", "lg.jp", "asn.au", "id.au",
    "cri.nz", "geek.nz", "gen.nz", "health.nz", "iwi.nz", "kiwi.nz", "maori.nz", "parliament.nz", "school.nz",
    "firm.in", "gen.in", "ind.in", "nic.in", "res.in", "pe.kr", "re.kr", "idv.tw", "idv.hk", "in.th", "mi.th", "my.id",
    "web.id", "sch.id", "web.za", "law.za", "gen.tr", "web.tr", "bel.tr", "name.tr", "adv.br", "art.br", "blog.br",
    "eco.br", "eng.br", "ind.br", "inf.br", "tv.br", "info.pl", "waw.pl", "biz.pl", "asso.fr", "tm.fr", "gv.at",
    "info.ro", "store.ro", "in.ua", "kiev.ua", "kyiv.ua", "biz.ua", "msk.ru", "spb.ru", "pp.ru", "pp.ua", "plc.ly",
    "eu.org", "uk.com", "us.com", "eu.com", "de.com", "jpn.com", "cn.com", "br.com", "za.com", "uk.net", "se.net",
    // Hosting providers.
    "github.io", "gitlab.io", "bitbucket.io", "readthedocs.io", "netlify.app", "vercel.app", "now.sh", "web.app",
    "firebaseapp.com", "appspot.com", "run.app", "blogspot.com", "withgoogle.com", "herokuapp.com",
    "pages.dev", "workers.dev", "trycloudflare.com", "fly.dev", "onrender.com", "deno.dev", "surge.sh", "glitch.me",
    "repl.co", "replit.app", "ngrok.io", "ngrok.app", "ngrok-free.app", "azurewebsites.net", "azurestaticapps.net",
    "cloudapp.net", "azurefd.net", "blob.core.windows.net", "web.core.windows.net", "cloudfront.net",
    "elasticbeanstalk.com", "azure-api.net", "azurecontainerapps.io", "amplifyapp.com", "awsapprunner.com",
    "digitaloceanspaces.com", "ondigitalocean.app", "myshopify.com", "wordpress.com", "wixsite.com", "webflow.io",
    "cloudfunctions.net", "r2.dev", "hf.space", "supabase.co", "myfritz.net", "synology.me", "duckdns.org",
    "dyndns.org", "hopto.org", "ddns.net", "no-ip.org",
  ]
}

extension String {
  /// Whether the host is an IP address: it contains a colon or ends with a number, even one such as `0x4`.
  var isNumericHost: Bool {
    if utf8.contains(UInt8(ascii: ":")) { return true }
    guard let last = utf8.split(separator: UInt8(ascii: ".")).last else { return false }
    return last.allSatisfy(\.isDigit) || IPv4Address.canonical(last) != nil
  }
}

extension URL {
  /// Returns whether both URLs have the same scheme and the same registered domain (RFC 6265bis §5.2).
  func isSameSite(as other: URL) -> Bool {
    guard let host = host?.lowercased(), let otherHost = other.host?.lowercased() else { return false }
    return scheme?.lowercased() == other.scheme?.lowercased()
      && PublicSuffix.site(of: host) == PublicSuffix.site(of: otherHost)
  }
}
