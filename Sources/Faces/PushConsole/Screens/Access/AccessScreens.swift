internal import PushAPI

/// The end of a session, the confirmation of the password, and the choice of the language.
enum AccessScreens: ScreenGroup {
    /// The paths of forms that are not kept when the session has ended: a person does not fill them in, or
    /// they contain a new password.
    static let own = [["sign-out"], ["password"], ["language"], ["account", "password"]]

    static let notices = [SubmittedForms.repeated]

    static let routes: [ConsoleRoute] = [
        ConsoleRoute(.post, "/sign-out", needs: nil) { visit in
            _ = try visit.operations.carryOut(EndSession(token: visit.token))
            var reply = Reply.redirect("/sign-in")
            let cookie = ConsoleCookie.session(of: visit.request)
            reply.cookies = [ConsoleCookie.text(cookie, "", maxAge: 0, of: visit.request)]
            return reply
        },
        // The page that demanded the password leads here. The console has checked the password.
        ConsoleRoute(.post, "/password", needs: nil, guarded: true) { visit in .redirect(next(visit)) },
        ConsoleRoute(.post, "/language", needs: nil) { visit in
            var reply = Reply.redirect(next(visit))
            if let language = visit.form["language"].flatMap(Language.init(rawValue:)) {
                reply.cookies = [
                    ConsoleCookie.text(
                        ConsoleCookie.language, language.rawValue, maxAge: 31_536_000, of: visit.request)
                ]
            }
            return reply
        },
    ]

    private static func next(_ visit: Visit) -> ConsolePath {
        visit.form[OpenPages.next].flatMap(ConsolePath.init(returning:)) ?? "/"
    }
}
