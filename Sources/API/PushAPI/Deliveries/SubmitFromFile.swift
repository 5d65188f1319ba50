internal import PushModel
internal import PushStore
package import PushWire

/// Accepts a delivery to recipients from a file, of which there may be millions: read in pieces, sorted on disk, put
/// into the store in small steps beside a running master, and then submitted. What ``SubmitDelivery`` would refuse is
/// refused in the same words, and a file is taken whole or not at all.
///
/// **Promises.** Until the delivery is there nothing of the file is anybody's, and what an interruption leaves in the
/// store goes by itself. Memory does not grow with the file. A short list of user keys is submitted with the
/// document, by whoever carries out such operations.
package struct SubmitFromFile: Sendable {
    /// A delivery document without a target, JSON.
    package var document: [UInt8]
    /// What errors call the document.
    package var documentName: String
    package var form: RecipientFile.Form
    /// What errors call the file.
    package var fileName: String
    package var caller: String
    /// nil: the same again is another delivery.
    package var idempotencyKey: String?

    package init(
        document: [UInt8], documentName: String, form: RecipientFile.Form, fileName: String,
        caller: String = "", idempotencyKey: String? = nil
    ) {
        self.document = document
        self.documentName = documentName
        self.form = form
        self.fileName = fileName
        self.caller = caller
        self.idempotencyKey = idempotencyKey
    }

    /// How far it is.
    package enum Progress: Equatable, Sendable {
        /// Recipients that were read.
        case read(Int)
        case sorting
        case storing
    }

    private static let readBytes = 1 << 20

    /// - Parameter read: the file's next bytes, at most as many as asked for; empty at its end.
    package func perform(
        in operations: Operations, watchedBy watch: Watch<Progress> = Watch(), read: (Int) throws -> [UInt8]
    ) throws(OperationError) -> SubmittedDelivery {
        do { return try submit(in: operations, watch, read) } catch let error as WireError {
            throw .refused("\(fileName): \(error)")
        } catch {
            throw OperationError(error)
        }
    }

    /// What ``DryRunDelivery`` says.
    package func dryRun(
        in operations: Operations, watchedBy watch: Watch<Progress> = Watch(), read: (Int) throws -> [UInt8]
    ) throws(OperationError) -> DryRunView {
        do {
            switch try recipients(in: operations, watch, read) {
            case .few(let keys):
                let dryRun = DryRunDelivery(
                    document: document, documentName: documentName, userKeys: keys)
                var view = try operations.carryOut(dryRun)
                view.warnings += warnings(repeated: repeated(in: keys))
                return view
            case .many(let target, let draft):
                let dryRun = DryRunDelivery(document: document, documentName: documentName)
                let checked = try parsed(try submission.value(), target, in: operations)
                var view = try dryRun.view(
                    of: checked, to: ChosenRecipients(target: target, draft: draft), in: operations)
                view.warnings += warnings(repeated: draft.repeated)
                return view
            }
        } catch let error as WireError {
            throw .refused("\(fileName): \(error)")
        } catch {
            throw OperationError(error)
        }
    }

    /// - Throws: where the document says what cannot be done with so many.
    private func parsed(
        _ value: JSONValue, _ target: Target, in operations: Operations
    ) throws -> DeliveryDocument {
        let document = try submission.parsed(value, target: .elsewhere, in: operations)
        guard document.refinement.isOncePerUser, case .list(let list) = target.base, list.kind == .tokens
        else { return document }
        throw OperationError.refused(
            documentName.naming(
                "target.oncePerUser: not beside a file of tokens, which does not say whose they are; "
                    + "give user keys, or remove it"))
    }

    private var submission: SubmitDelivery {
        SubmitDelivery(
            document: document, documentName: documentName, caller: caller, idempotencyKey: idempotencyKey)
    }

    private func submit(
        in operations: Operations, _ watch: Watch<Progress>, _ read: (Int) throws -> [UInt8]
    ) throws -> SubmittedDelivery {
        switch try recipients(in: operations, watch, read) {
        case .few(let keys):
            var submitted = try operations.carryOut(
                SubmitDelivery(
                    document: document, documentName: documentName, userKeys: keys, caller: caller,
                    idempotencyKey: idempotencyKey))
            submitted.warnings += warnings(repeated: repeated(in: keys))
            return submitted
        case .many(let target, let draft):
            return try submit(target, draft, in: operations.noting(submission), watch)
        }
    }

    private func submit(
        _ target: Target, _ draft: RecipientDraft, in operations: Operations, _ watch: Watch<Progress>
    ) throws -> SubmittedDelivery {
        guard case .list(let found) = target.base else {
            throw OperationError.refused("\(fileName): no list")
        }
        var recipients = ChosenRecipients(target: target, draft: draft)
        let value = try submission.value()
        let key = try submission.key(of: value, and: .string(draft.digest))
        if let earlier = try submission.answer(to: key, in: operations) { return earlier }
        let document = try parsed(value, target, in: operations)
        // Before anything is written.
        _ = try submission.checked(document, to: recipients, in: operations)
        watch.report(.storing)
        var throttle = BulkWriteThrottle(operations)
        let lists = operations.store.recipientLists
        let list = try lists.keep(
            draft, found.kind, hasVariables: target.variables != nil, at: { operations.clock.moment() },
            pause: {
                try watch.proceed()
                throttle.pause()
            })
        recipients.target.base = .list(list)
        do {
            let submitted = try submission.submitted(
                document, to: recipients, once: key, saying: warnings(repeated: draft.repeated),
                in: operations)
            if submitted.isRepeated { try lists.remove(list) }
            return submitted
        } catch {
            try? lists.remove(list)
            throw error
        }
    }

    private func repeated(in keys: [String]) -> Int { keys.count - Set(keys.map(ExactText.init)).count }

    private func warnings(repeated count: Int) -> [String] {
        guard count > 0 else { return [] }
        return ["\(fileName): \(count) of the lines name a recipient again; the first of each counts"]
    }

    // MARK: Reading

    private enum Recipients {
        case few([String])
        case many(Target, RecipientDraft)
    }

    private func recipients(
        in operations: Operations, _ watch: Watch<Progress>, _ read: (Int) throws -> [UInt8]
    ) throws -> Recipients {
        let apps = try submission.apps(in: operations)
        var (file, some, count) = (RecipientFile(form), [ListedRecipient](), 0)
        var draft: RecipientDraft?
        var isAtEnd = false
        while !isAtEnd {
            try watch.proceed()
            let bytes = try read(Self.readBytes)
            isAtEnd = bytes.isEmpty
            let before = some.count
            if isAtEnd { try file.finish(into: &some) } else { try file.feed(bytes, into: &some) }
            count += some.count - before
            watch.report(.read(count))
            if isAtEnd, draft == nil, form == .userKeys, some.count <= Target.maximumListed { break }
            guard isAtEnd || draft != nil || some.count > Target.maximumListed else { continue }
            let known = try draft ?? RecipientDraft()
            draft = known
            if file.kind == .tokens { DeliveryIntake.spell(&some, for: apps) }
            try known.add(some)
            some.removeAll(keepingCapacity: true)
        }
        guard count > 0 else { throw OperationError.refused("\(fileName): there is no \(what) in it") }
        guard let draft else { return .few(some.map(\.value)) }
        watch.report(.sorting)
        try draft.sort { try watch.proceed() }
        var target = Target(.list(RecipientList(kind: file.kind, count: draft.count, pages: draft.pages)))
        let names = file.names
        if !names.isEmpty { target.variables = RecipientVariables(names: names.sorted()) }
        return .many(target, draft)
    }

    private var what: String {
        switch form {
        case .userKeys: "user key"
        case .table: "recipient"
        }
    }
}

/// Whom a delivery is for, instead of what its document says.
struct ChosenRecipients {
    var target: Target
    /// Those that it lists, where the store has not got them yet; nil: it lists none, or they are in it.
    var draft: RecipientDraft?
}
