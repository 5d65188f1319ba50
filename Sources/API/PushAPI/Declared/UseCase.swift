package import PushModel
package import PushWire

/// How callers request a use case, and how the use case is named in the audit trail, the API's description
/// and the help.
package struct Operation: Sendable {
    package enum Method: String, Sendable { case get, post, put, patch, delete }
    /// The kinds of work that requests cause. Each kind has its own slots and threads, so that requests of
    /// one kind never wait for those of another.
    package enum Work: CaseIterable, Sendable {
        /// The request waits for nothing.
        case immediate
        /// Work on single messages.
        case message
        /// All other changes. Each takes only a few transactions.
        case change
        /// Reads. A read that cannot begin soon is refused, because the duration of a read may grow with the
        /// size of the store.
        case read
        /// Work that may take minutes.
        case lengthy
    }

    package let method: Method
    /// The path below the API's root, with the names of path members in braces.
    package let path: String
    /// The scope that a caller's token must have; `nil` if no token is required.
    package let scope: AccessScope?
    /// A summary in one sentence.
    package let summary: String
    package let work: Work
    /// The HTTP status of a successful response.
    package let status: Int
    package let maxBodyBytes: Int
    /// The replacement for the verb in the use case's name, if the use case has several addresses.
    package let verb: String?
    /// The values of members that are declared as path members but do not appear in this operation's path.
    package let given: [String: String]
    /// Whether the operation needs the status of the running service.
    package let asksMaster: Bool
    /// Whether the operation is available only on the Unix socket.
    package let isLocal: Bool
    /// The objects that the operation concerns. If it is `nil`, the operation is refused to callers who are
    /// bound to services, and a test fails, because every operation must declare it.
    package let reach: Reach?

    /// - Parameters:
    ///   - work: `nil` means a read or a change, depending on the method.
    ///   - reach: Required unless the path begins with a service, an app or a delivery, or the operation is
    ///     about people, who belong to the whole instance.
    package init(
        _ method: Method, _ path: String, _ scope: AccessScope?, _ summary: String, _ work: Work? = nil,
        status: Int = 200, maxBodyBytes: Int = 64 << 10, verb: String? = nil, given: [String: String] = [:],
        asksMaster: Bool = false, isLocal: Bool = false, reach: Reach? = nil
    ) {
        self.method = method
        self.path = path
        self.scope = scope
        self.summary = summary
        self.work = work ?? (method == .get ? .read : .change)
        self.status = status
        self.maxBodyBytes = maxBodyBytes
        self.verb = verb
        self.given = given
        self.asksMaster = asksMaster
        self.isLocal = isLocal
        self.reach = reach ?? (scope == .people ? .instance : Self.reach(ofPath: path, isLocal: isLocal))
    }
}

/// A use case with declared members. Routes, checks, the API's description and the audit trail are derived
/// from them.
package protocol UseCase: Members {
    associatedtype Answer: Described & Codable
    /// The name, which consists of a ``Noun`` and a verb: `delivery.pause`.
    static var name: String { get }
    static var operation: Operation { get }
    /// All operations with which callers can request the use case.
    static var operations: [Operation] { get }
    /// Lists of member names. Exactly one member of each list must be present, and none of them may be null.
    static var alternatives: [[String]] { get }
    /// An example of a request in JSON: an object with members, or the document that is the whole body.
    static var example: String { get }
    /// The command without the program's name: `delivery pause`.
    static var commandPath: String { get }
    /// Carries out the use case, or has another process carry it out, as its kind (short or long operation)
    /// requires.
    func carryOut(by operations: Operations) throws(OperationError) -> Answer
    /// Returns the address of the created object, below the API's root; `nil` if the use case created nothing
    /// that has an address.
    func location(of answer: Answer) -> String?
}

extension UseCase {
    package static var operations: [Operation] { [operation] }
    package static var alternatives: [[String]] { [] }
    package static var example: String { "{}" }
    package static var commandPath: String { name.replacing(".", with: " ") }

    @_semantics("optimize.sil.specialize.generic.never")
    package func location(of answer: Answer) -> String? {
        guard Self.operation.status == 201, case .string(let name)? = json?["name"] else { return nil }
        return "\(Self.operation.path)/\(APIAddress.encoded(name))"
    }
}

extension UseCase where Self: ShortOperation {
    @_semantics("optimize.sil.specialize.generic.never")
    package func carryOut(by operations: Operations) throws(OperationError) -> Answer {
        try operations.carryOut(self)
    }
}

extension UseCase where Self: LongOperation {
    @_semantics("optimize.sil.specialize.generic.never")
    package func carryOut(by operations: Operations) throws(OperationError) -> Answer {
        try operations.carryOut(self)
    }
}

/// A use case that can be repeated safely with an `Idempotency-Key`.
package protocol KeyedUseCase: UseCase {
    /// The caller to whom the key belongs.
    var caller: String { get set }
    /// The idempotency key; `nil` if a repetition of the request is a new request.
    var idempotencyKey: String? { get set }
}

extension KeyedUseCase {
    @_semantics("optimize.sil.specialize.generic.never")
    func checkKey() throws(OperationError) {
        guard let idempotencyKey, !IdempotencyKeyText.isAllowed(idempotencyKey) else { return }
        throw .refused("Idempotency-Key: must be \(IdempotencyKeyText.allowed)")
    }
}

/// The list of all use cases, from which other parts of the product are derived.
package enum UseCases {
    package static let all: [any UseCase.Type] = [
        ListServices.self, CreateService.self, ShowService.self, UpdateService.self, DeleteService.self,
        ListWebhooks.self, CreateWebhook.self, ShowWebhook.self, UpdateWebhook.self, DeleteWebhook.self,
        RotateWebhookSecret.self, TestWebhook.self,
        ListAccessTokens.self, CreateAccessToken.self, RevokeAccessToken.self, ReadAudit.self,
        ListPeople.self, CreatePerson.self, ShowPerson.self, SetPersonRole.self, ResetPerson.self,
        RemovePerson.self, ListSessions.self, EndSessions.self,
        ListTemplates.self, ShowTemplate.self, SaveTemplate.self, DeleteTemplate.self,
        ListDrafts.self, ShowDraft.self, SaveDraft.self, RemoveDraft.self, SubmitDraft.self,
        ListQuarantine.self, AddToQuarantine.self, ReleaseFromQuarantine.self, ShowStorms.self,
        DecideStorm.self,
        CountSubscribers.self, ShowSubscribers.self, ExplainPush.self, AddSubscriber.self,
        RemoveSubscribers.self, SetSubscriberState.self,
        ShowServiceStatistics.self, ShowDeliveryStatistics.self, ReadDeliveryLogPage.self,
        ListApps.self, CreateApp.self, ShowApp.self, UpdateApp.self, ShowAppIcon.self,
        ShowAppIntegration.self, DeleteApp.self, TestApp.self, SwitchApp.self, SwitchAppBack.self,
        RehearseApp.self, ListUnknownKeys.self, PollFeedback.self,
        ListDeliveries.self, SubmitDelivery.self, DryRunDelivery.self, PreviewDelivery.self,
        ProofDelivery.self, ShowDelivery.self, ShowDeliveryDocument.self,
        ShowDeliveryStorms.self, RecallDelivery.self, CopyDelivery.self, DraftDelivery.self,
        PauseDelivery.self, ResumeDelivery.self, StopDelivery.self, RecountDelivery.self,
        ReleaseDeliveries.self, RetryFailed.self, ListMessages.self, SendMessages.self, ShowMessage.self,
        CancelMessage.self, FindMessage.self, ShowStatus.self,
        ExplainApp.self, ResumeAccount.self, ListHosts.self, DrainHost.self, ShowConfiguration.self,
        CheckConfiguration.self,
        ShowInstance.self, ShowMaster.self, NotifyOfWork.self, NotifyOfPause.self, WithdrawDelivery.self,
        WatchDevices.self,
        ReloadConfiguration.self, StopEngine.self,
        ListJobs.self, ShowJob.self, CancelJob.self, EraseSubscribers.self, PurgeStore.self, BackUpStore.self,
        ImportSubscribers.self, ExportSubscribers.self,
    ]
}

extension UseCase {
    /// Returns the request that a caller of the API has made.
    /// - Parameters:
    ///   - names: The values in the path, by member name.
    ///   - query: The decoded query.
    ///   - body: The request's body; empty if the request has none.
    /// - Throws: An error that lists all faults of the first faulty part. For the path, its kind is `absent`,
    ///   because the object does not exist; for the query, `usage`; for the body, `refused`.
    @_semantics("optimize.sil.specialize.generic.never")
    package static func request(
        names: [String: String], query: [String: String], body: [UInt8]
    ) throws(OperationError) -> Self {
        let members = Dictionary(grouping: members, by: \.declaration.place)
        var request = Self()
        var present: [String] = []
        func take(
            _ given: [JSONMember], of place: Declaration.Place, _ kind: OperationError.Kind
        ) throws(OperationError) {
            var faults = Faults()
            let known = members[place] ?? []
            if place == .body { faults.refuse(given, unknownTo: known.map(\.declaration), at: "") }
            request.take(given, of: known, at: "", &faults)
            for member in given where member.value == .null && isAlternative(member.key) {
                faults.note(member.key, "must have a value or be omitted")
            }
            present += given.map(\.key)
            if place == .query, faults.isEmpty, let fault = request.cursorFault(given) {
                faults.note(Cursor.name, fault)
            }
            if !faults.isEmpty { throw OperationError(kind, faults.listed) }
        }
        func given(_ texts: [String: String], in place: Declaration.Place) -> [JSONMember] {
            (members[place] ?? []).map(\.declaration).compactMap { declaration in
                texts[declaration.name].map {
                    JSONMember(key: declaration.name, value: declaration.schema.value(of: $0))
                }
            }
        }
        try take(given(names, in: .path), of: .path, .absent)
        for place in [Declaration.Place.query, .inner] {
            try take(given(query, in: place), of: place, .usage)
        }
        if let document = Self.document { request[keyPath: document] = body }
        if members[.body] != nil {
            let given = body.isEmpty && !needsBody ? [] : try Self.members(of: body)
            try take(given, of: .body, .refused)
        }
        for names in missingAlternatives(among: present) {
            let isQuery = declarations.contains { $0.name == names.first && $0.place == .query }
            throw OperationError(
                isQuery ? .usage : .refused, "give one of \(names.joined(separator: " and "))")
        }
        return request
    }

    /// Returns the request of a caller that does not distinguish between an address and a body, such as a
    /// command line.
    /// - Parameter spelled: Returns the caller's name for a member, for use in errors.
    /// - Throws: An error of kind `usage` that lists all faults.
    @_semantics("optimize.sil.specialize.generic.never")
    package static func request(
        of given: [JSONMember], _ spelled: (String) -> String
    ) throws(OperationError) -> Self {
        var (request, faults) = (Self(), Faults())
        request.take(given, of: members.filter { $0.declaration.place != .document }, at: "", &faults)
        if faults.lines.isEmpty, let fault = request.cursorFault(given) { faults.note(Cursor.name, fault) }
        let missing = missingAlternatives(among: given.map(\.key)).map { names in
            "give one of \(names.map(spelled).joined(separator: " and "))"
        }
        let lines = faults.lines + missing
        if !lines.isEmpty { throw OperationError(.usage, lines: lines) }
        return request
    }

    @_semantics("optimize.sil.specialize.generic.never")
    static func isAlternative(_ name: String) -> Bool { alternatives.contains { $0.contains(name) } }

    /// Returns the lists in ``alternatives`` that do not contain exactly one of the present names.
    @_semantics("optimize.sil.specialize.generic.never")
    private static func missingAlternatives(among present: [String]) -> [[String]] {
        alternatives.filter { names in names.count { present.contains($0) } != 1 }
    }

    /// - Throws: An error of kind `malformed` if the body is not JSON, or of kind `refused` if it is not an
    ///   object.
    @_semantics("optimize.sil.specialize.generic.never")
    private static func members(of body: [UInt8]) throws(OperationError) -> [JSONMember] {
        let value: JSONValue
        do throws(WireError) { value = try JSONParser.document(body) } catch {
            throw OperationError(error, of: "")
        }
        guard case .object(let members) = value else {
            throw OperationError(.refused, "the document must be an object, not \(value.kind)")
        }
        return members
    }

    /// The property that is the whole body of a request; `nil` if there is none.
    static var document: (any WritableKeyPath<Self, [UInt8]> & Sendable)? {
        members.lazy.compactMap(\.wholeBody).first
    }

    /// Whether a request must have a body. A PATCH request must have one, because it would change nothing
    /// without it.
    @_semantics("optimize.sil.specialize.generic.never")
    package static var needsBody: Bool {
        operation.method == .patch || declarations.contains { $0.place == .document }
            || declarations.contains { $0.place == .body && $0.isRequired }
    }

    /// The schema of a request's body.
    @_semantics("optimize.sil.specialize.generic.never")
    package static var body: Schema? {
        if let document = declarations.first(where: { $0.place == .document }) { return document.schema }
        let members = declarations.filter { $0.place == .body }
        guard !members.isEmpty else { return nil }
        // Some alternatives are members of the query.
        let ofBody = alternatives.filter { names in members.contains { names.contains($0.name) } }
        let described = members.map { declaration in
            declaration.schemaMember(isNullable: !isAlternative(declaration.name))
        }
        return .component("\(schemaName)Request") { .object(described, oneOfEach: ofBody) }
    }
}

extension Declaration {
    /// - Parameter isNullable: Whether null stands for the value of an absent member.
    package func schemaMember(isNullable: Bool = true) -> Schema.Member {
        let note = absent.map { " \(isChange ? "Null" : "Default"): \($0)." }
        let value = preset == nil ? schema : .orNull(schema.withoutNull)
        return Schema.Member(
            name, isNullable ? value : value.withoutNull, isRequired: isRequired,
            about: help + (note ?? ""), preset: preset)
    }
}

extension Schema {
    /// The schema of the elements if this schema is a list; otherwise, this schema.
    package var element: Schema {
        switch self {
        case .orNull(let schema), .list(let schema, _): schema.element
        default: self
        }
    }

    package var isList: Bool {
        switch self {
        case .list: true
        case .orNull(let schema): schema.isList
        default: false
        }
    }

    /// The allowed words; `nil` if the value is not one of a set of words.
    package var words: [String]? { if case .words(let words, _) = self { words } else { nil } }

    /// Whether every value of this schema has a text form.
    package var isText: Bool {
        switch self {
        case .string, .text, .integer, .integers, .number, .numbers, .boolean, .key, .time, .words: true
        case .file, .list, .map, .object, .component, .orNull, .oneOf, .anyOf, .any: false
        }
    }

    /// Returns the JSON value for a text in a path or a query. A text that is not a valid form of the
    /// schema's type becomes a JSON string.
    package func value(of text: String) -> JSONValue {
        switch self {
        case .integer, .integers:
            text.hasPrefix("+") ? .string(text) : Int64(text).map { .integer($0) } ?? .string(text)
        case .boolean: text == "true" ? .boolean(true) : text == "false" ? .boolean(false) : .string(text)
        case .orNull(let schema): schema.value(of: text)
        // In a query, a plus sign that is not encoded is a space.
        case .time: .string(text.replacing(" ", with: "+"))
        case .list: (try? JSONParser.parse(Array(text.utf8))) ?? .string(text)
        default: .string(text)
        }
    }
}
