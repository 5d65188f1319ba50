import PushModel

/// The `target` object: exactly one member that chooses recipients or combines choosers, and optional members
/// that leave out some of these recipients.
extension Target {
    static let form = Form.object(fields)

    /// The contents of the object.
    struct TargetMembers {
        fileprivate var base: Base?
        fileprivate var variables: RecipientVariables?
        /// The refinement of the recipients, whether the object chooses them or they come from elsewhere.
        var refinement = TargetRefinement()

        /// The sets that the target combines.
        fileprivate var sets: [TargetSet] { target?.sets ?? refinement.exclusion.sets }

        /// The target; `nil` if the object does not choose recipients.
        var target: Target? {
            base.map { base in
                var target = Target(base).refined(by: refinement)
                target.variables = variables
                return target
            }
        }
    }

    private static let fields = Fields(
        TargetMembers(), choices + refinements, named: "DeliveryTarget", oneOfEach: [choices.map(\.name)],
        areSecret: true
    ) { reader, object, said in
        let names = choices.map(\.name)
        let given = object.keys.filter(names.contains)
        if reader.target == .elsewhere {
            if given.isEmpty, !object.keys.isEmpty { return }
            let hint = given.isEmpty ? "" : "; \(hintAtExclude)"
            reader.note(
                object.path,
                "the recipients are already given outside the document; remove one of the two\(hint)")
        } else if given.count != 1 {
            let hint = given.isEmpty ? "" : "; to combine several, use {\"and\": […]} or {\"or\": […]}"
            reader.note(object.path, "must have exactly one of \(names.joined(separator: ", "))\(hint)")
        } else if said.refinement.isOncePerUser, let source = said.base, Target(source).source != nil {
            reader.note(
                object.path(of: "oncePerUser"),
                """
                cannot be combined with \(given[0]), whose messages determine the recipients; remove one \
                of the two
                """
            )
        }
        checkSets(said.sets, at: object.path, by: &reader)
    }

    private static let choices =
        choosers
        + combinations.map { name in
            Field<TargetMembers>(name, as: set(name), about(name)) { $0.base = .combined($1) }
        }

    private static let choosers: [Field<TargetMembers>] = [
        Field("all", as: everybody, "true") { said, _ in said.base = .all },
        Field("userKeys", as: userKeys) { $0.base = .userKeys($1) },
        Field("tokens", as: tokens) { $0.base = .tokens($1) },
        Field("recipients", as: recipients, "either all by user key or all by token") {
            ($0.base, $0.variables) = ($1.base, $1.variables)
        },
        Field("where", as: condition) { $0.base = $1 },
        // The messages of another delivery determine these recipients.
        Field("recipientsOf", as: delivery, ofService) { $0.base = .recipients(of: $1) },
        Field("openersOf", as: delivery, ofService) { $0.base = .openers(of: $1) },
        Field("nonOpenersOf", as: delivery, ofService) { $0.base = .nonOpeners(of: $1) },
    ]

    /// How a document combines a list of recipients, which cannot be part of a combination, with other sets.
    static let hintAtExclude =
        #"to leave out some of the recipients, use exclude, such as {"exclude": {"not": {"where": {…}}}}"#

    /// Reports whether the member of this name chooses recipients.
    static func choosesRecipients(_ name: String) -> Bool { choices.contains { $0.name == name } }

    /// Reports whether the object can have this member.
    static func isMember(_ name: String) -> Bool { fields.names.contains(name) }

    /// Reports whether a document chooses recipients, as opposed to only leaving out some of those that come
    /// from elsewhere.
    static func isChosen(in document: JSONValue) -> Bool {
        guard case .object(let members)? = document["target"] else { return document["target"] != nil }
        func isAny(of fields: [Field<TargetMembers>]) -> Bool {
            members.contains { member in fields.contains { $0.name == member.key } }
        }
        return isAny(of: choices) || !isAny(of: refinements)
    }

    static let everybody = Form<Bool>(.boolean) { reader, value, path in
        let isEverybody = reader.boolean(value, at: path)
        if isEverybody == false { reader.note(path, "must be true, not false") }
        return isEverybody
    }
    private static let listed = 1...maximumListed
    static let userKeys = Form.strings(listed, .bytes(SubscriberLimits.userKeyBytes))
    static let tokens = Form.strings(listed, .token)
    static let delivery = Form.integer(1...Int64(Int32.max)).map(DeliveryID.init(rawValue:))
    static let ofService = "a delivery of the same service"

    // MARK: - Refinements

    private static let refinements: [Field<TargetMembers>] = [
        Field("exclude", \.refinement.exclusion, .object(exclusion)),
        Field(
            "sample", \.refinement.sample,
            .either(
                Form.share.map { TargetSample(share: $0) }, or: sample,
                value: { TargetSample(share: $0.share, from: $0.from, seed: $0.seed) }),
            "a share of the subscriptions, from 0 to 1"),
        Field(
            "oncePerUser", \.refinement.isOncePerUser, .boolean,
            "whether only the most recently registered device of each user receives the delivery"),
    ]

    private static let exclusion = Fields(
        Exclusion(),
        [Field("userKeys", \.userKeys, userKeys), Field("tokens", \.tokens, tokens)]
            + (["where"] + SentGroup.allCases.map(\.rawValue) + combinations).map { name in
                Field(name, as: set(name)) { $0.sets.append($1) }
            },
        named: "TargetExclusion"
    ) { reader, object, _ in
        if object.keys.isEmpty {
            reader.note(
                object.path,
                "is empty; add userKeys, tokens, where, an earlier delivery, or and, or and not")
        }
    }

    private struct Sample {
        var share = 0
        var seed: Int64 = 0
        var from = 0
    }

    /// A share, with the seed and the place at which the share begins.
    private static let sample = Fields(
        Sample(),
        [
            Field("share", \.share, .share, isRequired: true),
            Field("seed", \.seed, .integer(TargetSample.seeds)),
            Field("from", \.from, .places(0...TargetSample.places - 1)),
        ], named: "TargetSample"
    ) { reader, object, sample in
        if sample.share > TargetSample.places - sample.from {
            reader.note(
                object.path, "the sum of from and share must not exceed 1")
        }
    }
}

extension Form<Int> {
    static var share: Self { .places(1...TargetSample.places) }

    /// A fraction of the whole, converted to places.
    static func places(_ range: ClosedRange<Int>) -> Self {
        let allowed = range.contains(0) ? "from 0 to less than 1" : "greater than 0 and up to 1"
        let whole = Double(TargetSample.places)
        return .number(
            Double(range.lowerBound) / whole...Double(range.upperBound) / whole,
            allowed: "a number \(allowed), with at most 6 decimal places"
        ) { number in
            let places = (number * whole).rounded()
            // If the number has at most six decimal places, the product is within rounding error of a whole
            // number of places.
            guard let exact = Int(exactly: places), range.contains(exact),
                (number * whole - places).magnitude < 0.000_1
            else { return nil }
            return exact
        } write: {
            $0.number($1, Double($2) / whole)
        }
    }
}
