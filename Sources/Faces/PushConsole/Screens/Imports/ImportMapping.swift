internal import PushAPI
internal import PushModel
internal import PushWire

/// The page on which a person gives each column of an uploaded table a meaning, and the start of the import.
struct ImportMapping {
    private static let language = "osLanguage"
    private static let ignored = "-"
    private static let parameter = "p:"

    private let visit: Visit
    private let entry: UploadedTables.Entry
    private let declared: [ParameterDeclaration]
    private var columns: [String] { entry.table.columns }

    init(_ visit: Visit, _ entry: UploadedTables.Entry) throws {
        guard let app = try visit.apps().first(where: { $0.name == entry.app }) else {
            throw Refusal.notFound
        }
        (self.visit, self.entry, declared) = (visit, entry, app.parameters)
    }

    private static func field(_ column: Int) -> String { "column-\(column)" }
    private func title(_ column: Int) -> Phrase {
        columns[column].isEmpty ? .column(column + 1) : Phrase(same: String(columns[column].prefix(200)))
    }

    // MARK: The page

    func page(_ errors: FormErrors = FormErrors()) -> Page {
        let fields = Fields(errors)
        let guesses = guesses()
        let rows = columns.indices.map { column -> [HTML] in
            let name = Self.field(column)
            let given = visit.form.given(name) ?? guesses[column]
            return [
                fields.select(title(column), name, choices(column), value: given), samples(column),
            ]
        }
        let action: ConsolePath = "/imports/map/\(entry.id)"
        let count = entry.table.rowCount
        let form = visit.form(action: action) {
            """
            \(fields.others(besides: Set(columns.indices.map(Self.field))))\
            \(HTML.card(table: HTML.table([.init(.meaning), .init(.firstRows)], rows, caption: .caption)))\
            \(HTML.formFoot(.importRows(count), back: "/imports"))
            """
        }
        let body: HTML = """
            \(HTML.pageHead(
                .title, crumbs: [("\(NavigationItem.imports.title)", NavigationItem.imports.path)],
                meta: [
                    "\(name: entry.fileName)", "\(Phrase.rows(count))", "\(Phrase.app) \(name: entry.app)",
                ]))
            \(form)
            """
        return Page(title: .title, current: .imports, body: body)
    }

    private func samples(_ column: Int) -> HTML {
        let texts = entry.table.firstRows.map { row -> HTML in
            let text = row[column]
            if text.isEmpty { return "<span class=\"muted\">–</span>" }
            // Whatever the column's name is, this may be a token.
            if text.count >= 32, !text.contains(" ") { return HTML.shortened(token: text) }
            return "\(name: text.count > 40 ? "\(text.prefix(40))…" : text)"
        }
        return texts.isEmpty ? "\(Phrase.noSample)" : texts.joined(by: "<br>")
    }

    private func choices(_ column: Int) -> [Fields.Choice] {
        let names = declared.isEmpty ? [columns[column]].filter { !$0.isEmpty } : declared.map(\.name)
        let parameters = names.map { name in
            Fields.Choice("\(Self.parameter)\(name)", .parameter(String(name.prefix(200))))
        }
        return [
            .init(Self.ignored, .ignore), .init(TableFile.tokenName, .token),
            .init(TableFile.userKeyName, .userKey), .init(Self.language, .language),
        ] + parameters
    }

    /// The meanings that the names of the columns suggest.
    private func guesses() -> [String] {
        var taken: Set<String> = []
        // A corrected table of rejected rows.
        let added = columns.starts(with: RejectedRows.addedColumns) ? RejectedRows.addedColumns.count : 0
        return columns.enumerated().map { index, name in
            if index < added { return Self.ignored }
            let plain = name.lowercased().filter { $0.isLetter || $0.isNumber }
            let known: String? =
                switch plain {
                case "token", "registrationtoken", "devicetoken", "pushtoken": TableFile.tokenName
                case "userkey", "userid", "customerid", "customer", "externalid", "email":
                    TableFile.userKeyName
                case "oslanguage", "language", "lang", "locale", "sprache": Self.language
                default: nil
                }
            let parameter =
                declared.isEmpty
                ? (name.isEmpty ? nil : name)
                : declared.first { $0.name == name || $0.name.lowercased() == name.lowercased() }?.name
            // A declared parameter precedes a similar word.
            let isDeclared = declared.contains { $0.name == name }
            let meaning =
                (isDeclared ? nil : known) ?? parameter.map { "\(Self.parameter)\($0)" } ?? Self.ignored
            return meaning == Self.ignored || taken.insert(meaning).inserted ? meaning : Self.ignored
        }
    }

    // MARK: The import

    func start() throws -> Reply {
        var errors = FormErrors()
        var chosen: [(column: Int, name: String)] = []
        var seen: Set<String> = []
        for column in columns.indices {
            let value = visit.form.given(Self.field(column)) ?? Self.ignored
            guard value != Self.ignored else { continue }
            guard choices(column).contains(where: { $0.value == value }) else {
                errors.add(Self.field(column), .unknownMeaning)
                continue
            }
            let name =
                value.hasPrefix(Self.parameter) ? String(value.dropFirst(Self.parameter.count)) : value
            guard seen.insert(name).inserted else {
                errors.add(Self.field(column), .twice)
                continue
            }
            chosen.append((column, name))
        }
        if !chosen.contains(where: { $0.name == TableFile.tokenName }) {
            errors = FormErrors(.noToken)
        }
        guard errors.isEmpty else { return .refused(422, page(errors)) }
        let id = entry.id
        // A form that is submitted twice starts one import.
        if let running = entry.job.flatMap({ try? visit.carryOut(ShowJob($0)) }), running.endedAt == nil {
            return .redirect(running.path)
        }
        var upload = ImportSubscribers(app: entry.app, liftsQuarantine: entry.liftsQuarantine)
        upload.takeRejected = { [uploads = visit.uploads] in uploads.add(rejected: $0, to: id) }
        do {
            visit.uploads.begin(id)
            let job = try visit.start(upload, body: entry.table.subscriberFile(chosen))
            visit.uploads.set(job: job.id, of: id)
            return .redirect(job.path, notice: JobScreens.started)
        } catch let error as OperationError {
            return .refused(422, page(FormErrors(error)))
        }
    }
}

extension Visit {
    /// Starts an import whose whole table is in memory. The answer shows its progress.
    fileprivate func start(_ upload: ImportSubscribers, body: [UInt8]) throws -> JobView {
        guard isPermitted(ImportSubscribers.self) else {
            throw Refusal.forbidden(ImportSubscribers.operation.scope)
        }
        if let refusal = operations.engine.refusal { throw OperationError(refusal) }
        return try operations.waits.jobs.start(
            upload, type: ImportSubscribers.bodyTypes[0], body: body, in: operations)
    }
}

extension Phrase {
    fileprivate static let title = Phrase("Meaning of the columns", "Bedeutung der Spalten")
    fileprivate static let caption = Phrase(
        "The columns of the file with their meaning", "Die Spalten der Datei mit ihrer Bedeutung")
    fileprivate static let app = Phrase("for app", "für App")
    fileprivate static let meaning = Phrase("Column and meaning", "Spalte und Bedeutung")
    fileprivate static let firstRows = Phrase("First rows", "Erste Zeilen")
    fileprivate static let noSample = Phrase("No readable row", "Keine lesbare Zeile")
    fileprivate static func column(_ number: Int) -> Phrase {
        Phrase("Column \(number)", "Spalte \(number)")
    }
    fileprivate static func rows(_ count: Int) -> Phrase {
        .counted(count, one: Phrase("1 row", "1 Zeile")) { Phrase("\($0) rows", "\($0) Zeilen") }
    }
    fileprivate static func importRows(_ count: Int) -> Phrase {
        .counted(count, one: Phrase("Import 1 row", "1 Zeile importieren")) {
            Phrase("Import \($0) rows", "\($0) Zeilen importieren")
        }
    }
    fileprivate static let ignore = Phrase("Do not import", "Nicht importieren")
    fileprivate static let token = Phrase("Token of the device", "Token des Geräts")
    fileprivate static let userKey = Phrase("User key", "Nutzerschlüssel")
    fileprivate static let language = Phrase("Language of the device", "Sprache des Geräts")
    fileprivate static func parameter(_ name: String) -> Phrase {
        Phrase("Parameter \(isolated(name))", "Parameter \(isolated(name))")
    }
    fileprivate static let unknownMeaning = Phrase(
        "Choose a meaning from the list.", "Wählen Sie eine Bedeutung aus der Liste.")
    fileprivate static let twice = Phrase(
        "Another column has this meaning already. Choose another meaning.",
        "Eine andere Spalte hat diese Bedeutung schon. Wählen Sie eine andere.")
    fileprivate static let noToken = Phrase(
        "Choose the column that contains the tokens of the devices.",
        "Wählen Sie die Spalte, die die Token der Geräte enthält.")
}
