package import PushAPI
package import PushModel
internal import PushWire

/// One request of a person who is signed in: who asks, for what, and everything that the answer may use.
package struct Visit: Sendable {
    package let session: SessionView
    package private(set) var request: ConsoleRequest
    /// The operations, with the person as the caller. Prefer ``carryOut(_:)``, which checks permissions.
    package let operations: Operations
    /// The values of the named segments in the path.
    private(set) var names: [String: String]
    let table: RouteTable
    let recent: RecentAnswers
    let uploads: UploadedTables
    let knownServices = ListOfVisit<ServiceView>()
    let knownApps = ListOfVisit<AppView>()
    /// The value of the session's cookie.
    let token: String
    /// The idempotency key of the form: of the submitted form if this request submits one, and otherwise a
    /// new key for the form that the page contains.
    package let formKey: String

    init(
        _ session: SessionView, token: String, _ request: ConsoleRequest, _ operations: Operations,
        names: [String: String], table: RouteTable, recent: RecentAnswers,
        uploads: UploadedTables
    ) throws(OperationError) {
        self.session = session
        self.token = token
        self.request = request
        self.operations = try operations.acting(for: session)
        self.names = names
        self.table = table
        (self.recent, self.uploads) = (recent, uploads)
        let given = request.method == .post ? request.form[FormNames.key] : nil
        formKey = given.flatMap { Self.isKey($0) ? $0 : nil } ?? Self.newKey()
    }

    /// Returns the visit that submits a form for another object.
    func with(names: [String: String], form: FormFields) -> Visit {
        var visit = self
        (visit.names, visit.request.form) = (names, form)
        return visit
    }

    package var query: FormFields { request.query }
    package var form: FormFields { request.form }
    package var language: Language { Presentation.current.language }
    package var now: WallMoment { Presentation.current.now }

    /// The value of a named segment of the path.
    package func name(_ name: StaticString) -> String { names[name.description] ?? "" }

    /// The number in a named segment of the path.
    /// - Throws: ``Refusal/notFound`` if the segment is not a number.
    package func number(_ name: StaticString) throws(Refusal) -> Int64 {
        guard let number = Int64(self.name(name)), number >= 0 else { throw .notFound }
        return number
    }

    /// Whether the person's role permits a use case. Do not show a button for a use case that it does not
    /// permit.
    package func isPermitted<Use: UseCase>(_ type: Use.Type) -> Bool {
        isPermitted(Use.operation.scope) && (Use.operation.reach == .services || !operations.bounds.areSet)
    }
    package func isPermitted(_ scope: AccessScope?) -> Bool { scope.map(session.scopes.contains) ?? true }

    /// Carries out a use case for the person.
    ///
    /// If the use case takes an idempotency key and has none, it receives the form's key together with the
    /// use case's name and what was filled in. A form that is submitted twice therefore has one effect.
    /// - Throws: ``Refusal/forbidden(_:)`` if the person's role does not permit the use case; otherwise, the
    ///   error of the use case.
    package func carryOut<Use: UseCase>(_ use: Use) throws -> Use.Answer {
        try check(use)
        return try keyed(use).carryOut(by: operations)
    }

    /// Starts an operation of many steps. The answer shows its progress.
    package func start<Use: Job>(_ job: Use) throws -> JobView {
        try check(job)
        if let refusal = operations.engine.refusal { throw OperationError(refusal) }
        return try operations.waits.jobs.start(keyed(job), in: operations)
    }

    /// Refuses a use case that the person may not carry out.
    func check<Use: UseCase>(_ use: Use) throws {
        guard isPermitted(Use.operation.scope) else { throw Refusal.forbidden(Use.operation.scope) }
        try operations.admit(use)
    }

    private func keyed<Use: UseCase>(_ use: Use) -> Use {
        guard request.method == .post, var keyed = use as? any KeyedUseCase else { return use }
        keyed.caller = operations.caller
        if keyed.idempotencyKey == nil { keyed.idempotencyKey = "\(formKey).\(form.fingerprint).\(Use.name)" }
        return keyed as? Use ?? use
    }

    /// Returns 128 random bits in hexadecimal form.
    static func newKey() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    private static func isKey(_ text: String) -> Bool {
        text.utf8.count == 32 && text.allSatisfy { $0.isHexDigit }
    }
}

/// Why a screen does not answer a request.
package enum Refusal: Error, Equatable {
    /// There is no such page, or the object that it shows does not exist.
    case notFound
    /// The person's role lacks the scope.
    case forbidden(AccessScope?)
}

/// The names of the hidden fields of forms.
enum FormNames {
    static let csrf = "_csrf"
    static let key = "_key"
    /// The password that a guarded form asks for.
    static let password = "_password"
    /// The name of the person to whom the page with the form was shown.
    static let owner = "_owner"
    static let all: Set<String> = [csrf, key, password, owner]
    /// The field with the password of a certificate, which comes with the certificate's file.
    static let certificatePassword = "password"
}
