package import PushAPI
internal import PushModel
internal import PushSystem

/// The console: pages for people, as a client of the use cases.
///
/// **Promises.** A request is a value and so is its answer; there is no server here. Before a screen sees a
/// request, the console has checked the session, the token against forged requests, the scope of the route
/// and, if the route is guarded, that the person entered the password recently. **Neighbours.** `PushServer`
/// receives requests and calls ``answer(_:operations:)`` on a thread that may wait. ``Screens`` lists the
/// screens.
package struct Console: Sendable {
    let table: RouteTable
    private let zoneName: String
    private let recent = RecentAnswers()
    private let uploads = UploadedTables()
    private let forms = SubmittedForms()

    /// - Parameter zoneName: The time zone of pages for people whose browser names none.
    package init(
        _ groups: [any ScreenGroup.Type] = Screens.all, zoneName: String = SystemZones.localName()
    ) {
        table = RouteTable(groups)
        self.zoneName = zoneName
    }

    /// Answers a request. May wait for the store, for the master and for the check of a password.
    package func answer(_ request: ConsoleRequest, operations: Operations) -> ConsoleAnswer {
        Presentation.$current.withValue(presentation(of: request, operations)) {
            answerPresented(request, operations)
        }
    }

    /// The kinds of requests. Each kind has its own threads.
    package enum Work: Sendable {
        case page
        /// The answer can take longer than a page: see ``ConsoleRoute/isLengthy``.
        case lengthy
        /// The request may have to check a password, which takes much longer than a page.
        case password
        /// The request waits for the provider with which people sign in.
        case provider
    }

    package func work(of request: ConsoleRequest) -> Work {
        if request.method == .get, OpenIDPages.isOwn(request.path) { return .provider }
        if request.method == .post {
            let paths = [["sign-in"], ["welcome"], ["password"], ["account", "password"]]
            let hasPassword = request.form.exact(FormNames.password) != nil
            if hasPassword || paths.contains(request.path) { return .password }
        }
        // Pages with a count have the same path as those without it.
        let counts = request.query.isOn(ComposerStep.count)
        return counts || table.route(request.method, request.path)?.0.isLengthy == true ? .lengthy : .page
    }

    /// Whether a request has a session. Only then is a body with files read.
    package func hasSession(_ request: ConsoleRequest, operations: Operations) -> Bool {
        guard request.isSecure || request.isLocal, RequestOrigin(of: request) != .foreign,
            let token = request.cookies[ConsoleCookie.session(of: request)], !token.isEmpty
        else { return false }
        // The request itself decides what happens if the store does not answer.
        let session = Result { () throws(OperationError) in
            try operations.carryOut(CheckSession(token: token))
        }
        guard case .success(nil) = session else { return true }
        return false
    }

    private func presentation(of request: ConsoleRequest, _ operations: Operations) -> Presentation {
        let language = request.cookies[ConsoleCookie.language].flatMap(Language.init(rawValue:))
        let chosen = request.cookies[ConsoleCookie.zone].map {
            $0.replacing("%2F", with: "/").replacing("%2B", with: "+")
        }
        let rules = chosen.flatMap { SystemZones.zone(named: $0) }
        return Presentation(
            language: language ?? Language.preferred(by: request.acceptLanguage),
            zone: rules ?? SystemZones.zone(named: zoneName) ?? .utc,
            zoneName: rules == nil ? zoneName : chosen ?? zoneName, now: operations.clock.moment())
    }

    private func answerPresented(_ request: ConsoleRequest, _ operations: Operations) -> ConsoleAnswer {
        if request.path.first == ConsoleAsset.folder {
            let file = request.path.count == 2 ? ConsoleAsset.file(request.path[1]) : nil
            return file?.answer ?? ConsoleAnswer(404, line: "there is no such file")
        }
        guard request.isSecure || request.isLocal else { return ConsoleAnswer(403, html: Notices.insecure) }
        if request.method == .post, RequestOrigin(of: request) == .foreign { return forged }
        if let open = OpenPages.answer(request, operations) { return open }
        let token = request.cookies[ConsoleCookie.session(of: request)] ?? ""
        do {
            let isUse = request.method == .post || !request.isFragment
            let session =
                token.isEmpty ? nil : try operations.carryOut(CheckSession(token: token, isUse: isUse))
            let stated = StatedPerson(in: request)
            if let session, stated.statesNoPerson || stated.isPerson(of: session) {
                return try answer(request, of: session, token, operations)
            }
            switch stated {
            case .noPerson: return OpenPages.noSession(request, operations)
            case .name(let name): return try ProxyPages.begin(name, request, operations)
            case .unusable(let name): return try ProxyPages.begin(name, request, operations)
            }
        } catch {
            return ConsoleAnswer(503, html: Notices.unavailable(error))
        }
    }

    private var forged: ConsoleAnswer { ConsoleAnswer(403, html: Notices.forged) }

    /// Answers a person who is signed in.
    private func answer(
        _ request: ConsoleRequest, of session: SessionView, _ token: String, _ operations: Operations
    ) throws(OperationError) -> ConsoleAnswer {
        if request.method == .post, !Self.isEqual(request.form.exact(FormNames.csrf), session.csrf) {
            // The page with the form is of a former session: the person signed in again in another window.
            guard !request.isFragment, let kept = KeptForm(of: request), kept.belongs(to: session.person)
            else { return forged }
            return ConsoleAnswer(403, html: kept.page(csrf: session.csrf))
        }
        let found = table.route(request.method, request.path)
        let visit = try Visit(
            session, token: token, request, operations, names: found?.1 ?? [:], table: table, recent: recent,
            uploads: uploads)
        guard let (route, _) = found else { return render(ErrorPages.notFound(visit), visit) }
        guard visit.isPermitted(route.scope) else {
            return render(ErrorPages.forbidden(route.scope, visit), visit)
        }
        do {
            if route.isGuarded, !session.isConfirmed, let demand = try PasswordDemand.reply(to: visit) {
                return render(demand, visit)
            }
            let reply =
                try route.isOnce ? forms.reply(to: visit) { try route.answer(visit) } : route.answer(visit)
            return render(reply, visit)
        } catch Refusal.notFound {
            return render(ErrorPages.notFound(visit), visit)
        } catch Refusal.forbidden(let scope) {
            return render(ErrorPages.forbidden(scope, visit), visit)
        } catch {
            return render(ErrorPages.failed(OperationError(error), visit), visit)
        }
    }

    private func render(_ reply: Reply, _ visit: Visit) -> ConsoleAnswer {
        var answer: ConsoleAnswer
        let request = visit.request
        switch reply.content {
        case .page(let page, let status):
            let shown = reply.notice ?? request.cookies[ConsoleCookie.notice].flatMap(table.notice)
            answer = ConsoleAnswer(
                status, html: request.isFragment ? page.body : page.html(of: visit, notice: shown))
            if request.cookies[ConsoleCookie.notice] != nil, !request.isFragment {
                answer.add("set-cookie", ConsoleCookie.text(ConsoleCookie.notice, "", maxAge: 0, of: request))
            }
        case .fragment(let html, let isFinal):
            answer = ConsoleAnswer(200, html: html)
            if isFinal { answer.add(ConsoleRequest.finalField, "1") }
        case .redirect(let path):
            answer = .redirect(to: path)
            if let notice = reply.notice {
                answer.add(
                    "set-cookie", ConsoleCookie.text(ConsoleCookie.notice, notice.id, maxAge: 60, of: request)
                )
            }
        case .file(let bytes, let type, let name):
            answer = ConsoleAnswer(200, bytes, type: type)
            answer.add("content-disposition", Self.disposition(name))
        }
        for cookie in reply.cookies { answer.add("set-cookie", cookie) }
        return answer
    }

    /// Returns the header field with the name of a file to save (RFC 6266).
    private static func disposition(_ name: String) -> String {
        "attachment; filename*=UTF-8''\(PercentEncoding.encoded(String(name.prefix(120))))"
    }

    /// Compares two secrets in a time that does not depend on their content.
    static func isEqual(_ left: String?, _ right: String) -> Bool {
        guard let left, left.utf8.count == right.utf8.count, !right.isEmpty else { return false }
        return zip(left.utf8, right.utf8).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
