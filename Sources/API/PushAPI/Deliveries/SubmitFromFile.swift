internal import PushModel
internal import PushStore
package import PushWire

/// Accepts a delivery to recipients from a file, which may contain millions of them. The file is read in
/// pieces, sorted on disk and written to the store in small steps while a master may be running; then the
/// delivery is submitted. Everything that ``SubmitDelivery`` would refuse is refused with the same text. A
/// file is accepted as a whole or not at all.
///
/// **Promises.** Until the delivery exists, the recipients from the file belong to no delivery, and
/// recipients that an interruption leaves in the store are removed automatically. Memory use does not grow
/// with the file. A short list of user keys is submitted together with the document by ``SubmitDelivery``,
/// which the process that serves the store carries out.
package struct SubmitFromFile: Sendable {
    /// A delivery document without a target, in JSON.
    package var document: [UInt8]
    /// The name of the document in error texts.
    package var documentName: String
    package var form: RecipientFile.Form
    /// The name of the file in error texts.
    package var fileName: String
    /// The parameter by which the recipients of a table are found; `nil` if they have user keys or tokens.
    package var key: String?
    package var caller: String
    /// The idempotency key; `nil` if a repetition is a new delivery.
    package var idempotencyKey: String?

    package init(
        document: [UInt8], documentName: String, form: RecipientFile.Form, fileName: String,
        key: String? = nil, caller: String = "", idempotencyKey: String? = nil
    ) {
        self.document = document
        self.documentName = documentName
        self.form = form
        self.fileName = fileName
        self.key = key
        self.caller = caller
        self.idempotencyKey = idempotencyKey
    }

    /// The progress of the operation.
    package enum Progress: Equatable, Sendable {
        /// The number of recipients that have been read.
        case read(Int)
        case sorting
        /// The subscribers are searched for the values of a parameter.
        case matching
        case storing
    }

    private static let readBytes = 1 << 20

    /// - Parameter read: Returns the next bytes of the file, at most the requested number; empty at the end
    ///   of the file.
    package func perform(
        in operations: Operations, watchedBy watch: Watch<Progress> = Watch(), read: (Int) throws -> [UInt8]
    ) throws(OperationError) -> SubmittedDelivery {
        do { return try submit(in: operations, watch, read) } catch let error as WireError {
            throw .refused("\(fileName): \(error)")
        } catch {
            throw OperationError(error)
        }
    }

    /// Returns the same answer as ``DryRunDelivery``.
    package func dryRun(
        in operations: Operations, watchedBy watch: Watch<Progress> = Watch(), read: (Int) throws -> [UInt8]
    ) throws(OperationError) -> DryRunView {
        do {
            switch try recipients(in: operations, watch, read) {
            case .few(let keys):
                let dryRun = DryRunDelivery(
                    document: document, documentName: documentName, userKeys: keys)
                var view = try operations.carryOut(dryRun)
                view.list?.rows = keys.count
                view.warnings += warnings(repeated: repeated(in: keys))
                return view
            case .many(let many):
                let dryRun = DryRunDelivery(document: document, documentName: documentName)
                let checked = try parsed(try submission.value(), many.chosen.target, in: operations)
                var view = try dryRun.view(of: checked, to: many.chosen, in: operations)
                view.warnings += many.warnings
                return view
            }
        } catch let error as WireError {
            throw .refused("\(fileName): \(error)")
        } catch {
            throw OperationError(error)
        }
    }

    /// - Throws: If the document requests something that is impossible with these recipients.
    private func parsed(
        _ value: JSONValue, _ target: Target, in operations: Operations
    ) throws -> DeliveryDocument {
        let document = try submission.parsed(value, target: .elsewhere, in: operations)
        guard document.refinement.isOncePerUser, case .list(let list) = target.base, list.kind == .tokens
        else { return document }
        let file =
            key == nil
            ? "a file of tokens, which does not contain user keys"
            : "recipients that are found by a parameter"
        throw OperationError.refused(
            documentName.naming(
                "target.oncePerUser: cannot be used with \(file); give user keys, or remove the member"))
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
        case .many(let many):
            return try submit(many, in: operations.noting(submission), watch)
        }
    }

    private func submit(
        _ many: Many, in operations: Operations, _ watch: Watch<Progress>
    ) throws -> SubmittedDelivery {
        var recipients = many.chosen
        let target = recipients.target
        guard case .list(let found) = target.base, let draft = recipients.draft else {
            throw OperationError.refused("\(fileName): no list")
        }
        let value = try submission.value()
        let key = try submission.key(of: value, and: .string(many.digest))
        if let earlier = try submission.answer(to: key, in: operations) { return earlier }
        let document = try parsed(value, target, in: operations)
        // The check comes before anything is written.
        _ = try submission.checked(document, to: recipients, in: operations)
        watch.report(.storing)
        var throttle = BulkWriteThrottle(operations)
        let lists = operations.store.recipientLists
        var list = try lists.keep(
            draft, found.kind, hasVariables: target.variables != nil, at: { operations.clock.moment() },
            pause: {
                try watch.proceed()
                throttle.pause()
            })
        list.upload = found.upload
        recipients.target.base = .list(list)
        do {
            let submitted = try submission.submitted(
                document, to: recipients, once: key, saying: many.warnings, in: operations)
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
        return [
            """
            \(fileName): \(count) of the lines repeat a recipient; only the first line of each recipient \
            is used
            """
        ]
    }

    // MARK: Reading

    private enum Recipients {
        case few([String])
        case many(Many)
    }

    private struct Many {
        var chosen: ChosenRecipients
        /// A digest of the file's contents.
        var digest: String
        var warnings: [String]
    }

    private func recipients(
        in operations: Operations, _ watch: Watch<Progress>, _ read: (Int) throws -> [UInt8]
    ) throws -> Recipients {
        let apps = try submission.apps(in: operations)
        let key = try recipientKey(for: apps)
        let keys = try key.map { _ in try RecipientKeys() }
        var (file, some, count) = (RecipientFile(form, key: key), [ListedRecipient](), 0)
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
            if let keys {
                try keys.add(some)
                some.removeAll(keepingCapacity: true)
                continue
            }
            if isAtEnd, draft == nil, form == .userKeys, some.count <= Target.maximumListed { break }
            guard isAtEnd || draft != nil || some.count > Target.maximumListed else { continue }
            let known = try draft ?? RecipientDraft()
            draft = known
            if file.kind == .tokens { DeliveryIntake.spell(&some, for: apps) }
            try known.add(some)
            some.removeAll(keepingCapacity: true)
        }
        guard count > 0 else { throw OperationError.refused("\(fileName): there is no \(what) in the file") }
        if let key, let keys {
            return try .many(matched(keys, key, file, rows: count, for: apps, in: operations, watch))
        }
        guard let draft else { return .few(some.map(\.value)) }
        watch.report(.sorting)
        try draft.sort { try watch.proceed() }
        let list = RecipientList(
            kind: file.kind, count: draft.count, pages: draft.pages, upload: RecipientUpload(rows: count))
        return .many(
            Many(
                chosen: ChosenRecipients(target: target(list, file), draft: draft), digest: draft.digest,
                warnings: warnings(repeated: draft.repeated)))
    }

    private func target(_ list: RecipientList, _ file: RecipientFile) -> Target {
        var target = Target(.list(list))
        let names = file.names
        if !names.isEmpty { target.variables = RecipientVariables(names: names.sorted()) }
        return target
    }

    /// Returns the parameter by which recipients are found. If all apps that declare it give it the same
    /// kind, the values in the file must be of this kind.
    private func recipientKey(for apps: [App]) throws -> RecipientKey? {
        guard let key else { return nil }
        if let fault = TargetCheck.undeclared([key], at: "key", for: apps) {
            throw OperationError.refused(fault)
        }
        let kinds = apps.flatMap(\.settings.parameters).filter { $0.name == key }.map(\.kind)
        let isUniform = kinds.allSatisfy { $0 == kinds.first }
        return RecipientKey(name: key, kind: isUniform ? kinds.first ?? .text : .text)
    }

    /// Converts a list of a parameter's values to the tokens of the devices that have these values now.
    private func matched(
        _ keys: RecipientKeys, _ key: RecipientKey, _ file: RecipientFile, rows: Int, for apps: [App],
        in operations: Operations, _ watch: Watch<Progress>
    ) throws -> Many {
        watch.report(.sorting)
        let sorted = try keys.sort { try watch.proceed() }
        watch.report(.matching)
        let draft = try RecipientDraft()
        let match = try operations.store.recipientMatcher.match(
            keys, sorted.values, by: key, of: apps.map(\.id), into: draft
        ) { try watch.proceed() }
        try draft.sort { try watch.proceed() }
        let list = RecipientList(
            kind: .tokens, count: draft.count, pages: draft.pages,
            upload: RecipientUpload(rows: rows, match: match))
        var warnings = warnings(repeated: sorted.repeated)
        if match.ambiguous > 0 {
            let values = Numerals.count(match.ambiguous, "value")
            warnings.append(
                "\(fileName): subscribers with different user keys have the same \(key.name): \(values); all "
                    + "of these subscribers are in the target")
        }
        return Many(
            chosen: ChosenRecipients(target: target(list, file), draft: draft),
            digest: "\(key.name) \(sorted.digest)", warnings: warnings)
    }

    private var what: String {
        switch form {
        case .userKeys: "user key"
        case .table: "recipient"
        }
    }
}

/// The recipients of a delivery that replace the target in its document.
struct ChosenRecipients {
    var target: Target
    /// The listed recipients, if the store does not have them yet; `nil` if the target lists no recipients,
    /// or if the store already has them.
    var draft: RecipientDraft?
}
