/// The console's cookies.
enum ConsoleCookie {
    /// The cookie of a session over HTTPS. Because of its prefix, browsers accept it only with `Secure`, for
    /// the path `/` and without a domain.
    static let session = "__Host-pushmta"
    /// The cookie of a session over HTTP on the machine itself. Browsers refuse `Secure` there.
    static let localSession = "pushmta-local"
    /// The notice that the next page shows.
    static let notice = "pushmta-notice"
    /// The chosen language.
    static let language = "pushmta-language"
    /// The time zone of the browser, which the script sets.
    static let zone = "pushmta-zone"

    /// The attempt to sign in with a provider.
    private static let (openID, localOpenID) = ("__Host-pushmta-openid", "pushmta-local-openid")

    static func openID(of request: ConsoleRequest) -> String { request.isSecure ? openID : localOpenID }

    static func session(of request: ConsoleRequest) -> String { request.isSecure ? session : localSession }

    /// - Parameter maxAge: The time in seconds after which browsers delete the cookie; `nil` means at the end
    ///   of the browser's session.
    static func text(
        _ name: String, _ value: String, maxAge: Int? = nil, of request: ConsoleRequest
    ) -> String {
        let age = maxAge.map { "; Max-Age=\($0)" } ?? ""
        return "\(name)=\(value); Path=/; HttpOnly; SameSite=Lax\(age)\(request.isSecure ? "; Secure" : "")"
    }
}
