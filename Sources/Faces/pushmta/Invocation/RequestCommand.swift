internal import ArgumentParser
internal import PushAPI
internal import PushConnectors
internal import PushModel
internal import PushWire

/// A use case with its own command. The command takes its name, summary and arguments from the use case.
protocol CommandUseCase: UseCase {
    /// The name, such as `service.create`.
    static var name: String { get }
    static var form: CommandForm { get }
    /// Returns the answer as text for people.
    static func lines(_ answer: Answer) -> [String]
    /// Runs after the answer has been printed.
    /// - Throws: The error or exit status with which the command ends, if it does not succeed.
    static func conclude(_ answer: Answer) throws
}

extension CommandUseCase {
    static var form: CommandForm { CommandForm() }
    static func lines(_ answer: Answer) -> [String] { FieldList(of: answer).lines }
    static func conclude(_ answer: Answer) throws {}
}

/// Returns the command of a use case. If a type is named in the code, such as
/// `RequestCommand<ReadAudit>.self`, the runtime searches all conformances of the program at every start. A
/// type that is created here receives its conformance directly.
@inline(never)
func command(_ request: any CommandUseCase.Type) -> any ParsableCommand.Type { request.command }

extension CommandUseCase {
    fileprivate static var command: any ParsableCommand.Type { RequestCommand<Self>.self }
}

/// A request that the command confirms with the user on a terminal. Elsewhere the command performs it only
/// with `--yes`.
protocol Confirmed: CommandUseCase {
    /// Asks the user to confirm.
    /// - Throws: An error if the answer is no, or if there is no terminal on which to ask.
    func confirm(in operations: Operations) throws
}

/// The properties of a command that its use case does not declare.
struct CommandForm {
    /// The name of the command; `nil` means the last part of the use case's name.
    var name: String?
    /// The summary of the command; `nil` means the use case's summary.
    var abstract: String?
    /// Information that the summary does not contain, and an example in the last paragraph.
    var discussion = ""
    /// The option names of members whose option has a different name from the member.
    var options: [String: String] = [:]
    /// Members that are not arguments of the command. The command takes their values from elsewhere, or does
    /// not set them.
    var without: Set<String> = []
    /// Members that are required in the command, although the use case does not require them.
    var required: Set<String> = []
    /// Whether messages wait for a master after the command.
    var sendsMessages = false
}

/// A command that asks the instance to perform one request, and prints the answer.
struct RequestCommand<Request: CommandUseCase>: MemberCommand {
    static var configuration: CommandConfiguration {
        let name = Request.form.name ?? Request.name.split(separator: ".").last.map(String.init)
        return CommandConfiguration(
            commandName: name, abstract: Request.form.abstract ?? Request.operation.summary,
            discussion: Request.form.discussion)
    }

    @OptionGroup var members: MemberArguments<Request>
    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    /// Detects invalid combinations of members before anything is opened.
    func validate() throws { _ = try members.request() }

    func run() throws {
        let (request, operations) = (try members.request(), try Operations(config))
        if !members.isConfirmed { try (request as? any Confirmed)?.confirm(in: operations) }
        if let job = request as? any (Job & CommandUseCase) {
            try job.runWithProgress(by: operations, json)
        } else {
            try request.run(by: operations, json)
        }
        if Request.form.sendsMessages { operations.reportAbsentMaster() }
    }
}

extension CommandUseCase {
    /// Performs the request and prints the answer.
    func run(by operations: Operations, _ json: JSONOption) throws {
        try Self.print(try carryOut(by: operations), json)
    }

    fileprivate static func print(_ answer: Answer, _ json: JSONOption) throws {
        if json.isWanted {
            try StandardOutput.json(answer)
        } else {
            try StandardOutput.lines(lines(answer))
        }
        try conclude(answer)
    }
}

extension Job where Self: CommandUseCase {
    /// Performs the request in this process and shows its progress on a terminal. A signal ends the request
    /// between two steps.
    fileprivate func runWithProgress(by operations: Operations, _ json: JSONOption) throws {
        var bar = ProgressBar()
        let answer = try Interruption.observed { isInterrupted in
            try operations.carryOut(
                self,
                watchedBy: Watch(
                    report: { bar.show(done: $0.done, of: $0.total) }, isCancelled: isInterrupted))
        } lastWord: {
            bar.clear()
            return "interrupted: completed steps are kept; run the same command again for the rest"
        }
        bar.clear()
        try Self.print(answer, json)
    }
}

/// The arguments of a command that are members of its request. The request's name or id is positional; all
/// other members are options or flags. Members whose values have no text form are not included.
struct MemberArguments<Request: CommandUseCase>: ParsableArguments, CustomReflectable {
    private var given: [JSONMember] = []
    /// Whether the user gave `--yes`, so that no confirmation is needed.
    private(set) var isConfirmed = false

    init() {}

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CommandName.self)
        for argument in MemberArgument.all(of: Request.self) {
            guard let value = try argument.value(values) else { continue }
            given.append(JSONMember(key: argument.name, value: value))
        }
        guard Request.self is any Confirmed.Type else { return }
        isConfirmed = try values.decode(Flag<Bool>.self, forKey: CommandName(stringValue: "yes")).wrappedValue
    }

    func isGiven(_ name: String) -> Bool { given.contains { $0.key == name } }

    /// - Parameter others: Members that the command takes from elsewhere; `nil` for a member that was not
    ///   given.
    func request(with others: [String: JSONValue?] = [:]) throws -> Request {
        let others = others.compactMap { name, value in value.map { JSONMember(key: name, value: $0) } }
        do throws(OperationError) {
            return try Request.request(of: given + others) { "--\(CommandName.option($0, of: Request.self))" }
        } catch {
            throw ValidationError(error.lines.joined(separator: "\n"))
        }
    }

    // ArgumentParser learns the arguments of a type from its mirror.
    var customMirror: Mirror {
        var children: [Mirror.Child] = MemberArgument.all(of: Request.self).map { ($0.name, $0.definition) }
        if Request.self is any Confirmed.Type {
            let help: ArgumentHelp = "Do not ask for confirmation; required if there is no terminal."
            children.append(("yes", Flag(wrappedValue: false, help: help)))
        }
        return Mirror(self, children: children)
    }
}

/// The name of a member and of its option.
struct CommandName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }

    /// Returns the name that follows the two hyphens of a member's option. The option of a list is given once
    /// for each value, so its name is singular: `scopes` becomes `scope`.
    static func option<Request: CommandUseCase>(_ name: String, of type: Request.Type) -> String {
        if let option = Request.form.options[name] { return option }
        let isList = Request.declarations.contains { $0.name == name && $0.schema.isList }
        return words(isList && name.hasSuffix("s") ? String(name.dropLast()) : name)
    }

    /// Converts a name to words: `frequencyCap` becomes `frequency-cap`.
    static func words(_ name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "-\($1.lowercased())" : "\($1)" }
    }
}

/// One member of a request as an argument.
private struct MemberArgument {
    let name: String
    /// The definition that ArgumentParser parses.
    let definition: Any
    /// Reads the value; `nil` if it was not given.
    let value: (KeyedDecodingContainer<CommandName>) throws -> JSONValue?

    static func all<Request: CommandUseCase>(of type: Request.Type) -> [Self] {
        let places: [Declaration.Place] = [.path, .query, .body]
        let members = Request.members.filter {
            places.contains($0.declaration.place) && !Request.form.without.contains($0.declaration.name)
        }
        let positional = members.first { ["name", "id"].contains($0.declaration.name) }
        return members.compactMap { member in
            Self(member, isPositional: member.declaration.name == positional?.declaration.name)
        }
    }

    private init?<Request: CommandUseCase>(_ member: Member<Request>, isPositional: Bool) {
        let declaration = member.declaration
        let (kind, isList) = Self.kind(of: member.valueType)
        guard let read = Self.reader(of: kind, declaration.schema.element) else { return nil }
        name = declaration.name
        let key = CommandName(stringValue: name)
        let parse: @Sendable (String) throws -> JSONValue = { text in
            guard !isPositional || declaration.place == .path || NameRule.accepts(text) else {
                throw ValidationError(
                    "a name has 1 to \(NameRule.maximumBytes) visible bytes without spaces around it")
            }
            let value = text == "none" && kind is any Removable.Type ? .null : try read(text)
            if let fault = member.fault(of: isList ? .array([value]) : value) { throw ValidationError(fault) }
            return value
        }
        let completion = Self.completion(of: declaration, Request.name)
        let help = ArgumentHelp(
            declaration.helpText(kind), valueName: (kind as? any ArgumentSpelling.Type)?.spelling)
        let isRequired = declaration.isRequired || Request.form.required.contains(declaration.name)
        let option: NameSpecification = .customLong(CommandName.option(name, of: Request.self))
        if isPositional {
            definition = Argument<JSONValue>(help: help, completion: completion, transform: parse)
            value = { try $0.decode(Argument<JSONValue>.self, forKey: key).wrappedValue }
        } else if isList {
            definition =
                isRequired
                ? Option<[JSONValue]>(name: option, help: help, completion: completion, transform: parse)
                : Option<[JSONValue]>(
                    wrappedValue: [], name: option, help: help, completion: completion, transform: parse)
            value = {
                let values = try $0.decode(Option<[JSONValue]>.self, forKey: key).wrappedValue
                return values.isEmpty ? nil : .array(values)
            }
        } else if declaration.preset == .boolean(false) {
            definition = Flag<Bool>(wrappedValue: false, name: option, help: help)
            value = { try $0.decode(Flag<Bool>.self, forKey: key).wrappedValue ? .boolean(true) : nil }
        } else if isRequired {
            definition = Option<JSONValue>(name: option, help: help, completion: completion, transform: parse)
            value = { try $0.decode(Option<JSONValue>.self, forKey: key).wrappedValue }
        } else {
            definition = Option<JSONValue?>(
                name: option, help: help, completion: completion, transform: parse)
            value = { try $0.decode(Option<JSONValue?>.self, forKey: key).wrappedValue }
        }
    }

    /// Returns the type of a single value, and whether the type is a list of such values.
    private static func kind(of type: Any.Type) -> (Any.Type, isList: Bool) {
        var (type, isList) = (type, false)
        while let container = type as? any Container.Type {
            isList = isList || container.isList
            type = container.element
        }
        return (type, isList)
    }

    /// Returns a function that reads a value from the command line. Errors in the value are detected later,
    /// by the member itself. `nil` if the type has no text form.
    private static func reader(
        of type: Any.Type, _ schema: Schema
    ) -> (@Sendable (String) throws -> JSONValue)? {
        if let type = type as? any (ExpressibleByArgument & Readable & Sendable).Type {
            return { text in
                if let value = type.init(argument: text) { return value.json ?? .null }
                guard let spelled = type as? any ArgumentSpelling.Type else { return .string(text) }
                throw ValidationError("must be \(spelled.rule)")
            }
        }
        guard schema.isText else { return nil }
        return { schema.value(of: $0) }
    }

    private static func completion(of declaration: Declaration, _ operation: String) -> CompletionKind? {
        if let words = declaration.schema.element.words { return .list(words) }
        // A new object must have a name that does not exist yet, so there is nothing to complete.
        guard declaration.name != "name" || declaration.place == .path else { return nil }
        let noun = declaration.name == "name" ? operation.prefix { $0 != "." } : Substring(declaration.name)
        switch noun {
        case "connector": return .list(ConnectorCatalogue.names.map(\.rawValue))
        case "service", "services": return .serviceNames
        case "app", "account": return .appNames
        case "user", "session": return .personNames
        case "webhook": return .webhookNames
        case "template": return .templateNames
        case "id" where operation.hasPrefix("delivery."): return .deliveryIDs
        default: return nil
        }
    }
}

/// A value with its own spelling on the command line.
protocol ArgumentSpelling: ExpressibleByArgument {
    /// A text such as `name[=default]`.
    static var spelling: String { get }
    /// The end of an error that begins with "must be".
    static var rule: String { get }
}
extension ArgumentSpelling {
    static var rule: String { spelling }
}

/// A value that can be removed by giving `none` on the command line.
protocol Removable {}
extension FrequencyCap: Removable {}

/// A type whose values contain other values.
private protocol Container {
    static var element: Any.Type { get }
    static var isList: Bool { get }
}
extension Optional: Container {
    fileprivate static var element: Any.Type { Wrapped.self }
    fileprivate static var isList: Bool { false }
}
extension Array: Container {
    fileprivate static var element: Any.Type { Element.self }
    fileprivate static var isList: Bool { true }
}

extension Declaration {
    /// Returns the help text, followed by the allowed values and the default.
    fileprivate func helpText(_ kind: Any.Type) -> String {
        var text = help
        if !isChange, let absent { text += " Default: \(absent)." }
        if kind is any Removable.Type { text += " The value none removes it." }
        if schema.isList { text += " May be repeated." }
        if let words = schema.element.words { text += " (values: \(words.joined(separator: ", ")))" }
        switch preset {
        case nil, .boolean, .array: break
        case let preset?: text += " (default: \(preset.text))"
        }
        return text
    }
}
