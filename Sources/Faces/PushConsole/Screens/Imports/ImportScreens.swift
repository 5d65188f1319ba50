internal import PushAPI
internal import PushModel
internal import PushWire

/// Import of subscribers from an uploaded table: upload, meaning of the columns, and progress as a job.
enum ImportScreens: ScreenGroup {
    private static let gone = Notice(
        "import.gone",
        Phrase(
            "The uploaded file is no longer available. Upload it again. Nothing was imported.",
            "Die hochgeladene Datei ist nicht mehr verfügbar. Laden Sie sie erneut hoch. Es wurde "
                + "nichts importiert."
        ),
        tone: .warn)
    static let notices = [gone]

    static let routes: [ConsoleRoute] = [
        ConsoleRoute(.get, "/imports", needs: .admin) { visit in .page(try page(visit)) },
        ConsoleRoute(.post, "/imports", needs: .admin, once: true) { visit in try upload(visit) },
        ConsoleRoute(.get, "/imports/map/{id}", needs: .admin) { visit in
            guard let entry = entry(visit) else { return .redirect("/imports", notice: gone) }
            return .page(try ImportMapping(visit, entry).page())
        },
        ConsoleRoute(.post, "/imports/map/{id}", needs: .admin, once: true) { visit in
            guard let entry = entry(visit) else { return .redirect("/imports", notice: gone) }
            return try ImportMapping(visit, entry).start()
        },
        ConsoleRoute(.get, "/imports/{job}/rejected", needs: .admin) { visit in
            try RejectedRows.download(visit)
        },
    ]

    private static func entry(_ visit: Visit) -> UploadedTables.Entry? {
        visit.uploads.entry(visit.name("id"), of: visit.session.person, at: visit.now)
    }

    private static func page(_ visit: Visit, _ errors: FormErrors = FormErrors()) throws -> Page {
        let apps = try visit.apps()
        guard !apps.isEmpty else {
            let state = HTML.emptyState(
                .noApp, .noAppText, action: HTML.link(.apps, NavigationItem.apps.path))
            return Page(
                title: NavigationItem.imports.title, current: .imports,
                body: "\(HTML.pageHead(NavigationItem.imports.title))\(state)")
        }
        let fields = Fields(errors)
        let given = visit.form.given("app") ?? visit.query.given("app")
        let form = visit.form(action: "/imports", hasFiles: true) {
            """
            \(fields.others(besides: ["app", "file", "lift"]))\
            \(fields.app(apps, value: given))\
            \(fields.file(
                .file, "file", accept: ".csv,.txt,.tsv,text/csv", hint: .fileHint(MultipartForm.maxBytes),
                isRequired: true))\
            \(fields.check(.lift, "lift", isOn: visit.form.isOn("lift"), hint: .liftHint))\
            <div class="row"><button class="button button-primary">\(Phrase.upload)</button></div>
            """
        }
        let command = "pushmta subscribers import FILE.csv --app \(given ?? "APP") --rejects REJECTED.csv"
        let large: HTML = "<p>\(Phrase.largeText)</p><p>\(HTML.code(command))</p>"
        let jobs = try visit.ask(ListJobs.self, query: ["limit": "50"]).items.filter(\.isImport)
        let recent: HTML? =
            jobs.isEmpty
            ? nil : HTML.card(.recent, id: "recent", table: JobScreens.table(Array(jobs.prefix(10))))
        let body: HTML = """
            \(HTML.pageHead(NavigationItem.imports.title, actions: HTML.link(.allJobs, "/jobs")))
            <div class="split split-wide"><div class="stack">\(HTML.card(body: form))\(recent)</div>
            <aside class="stack">\(HTML.card(.format, id: "format", body: "<p>\(Phrase.formatText)</p>"))\
            \(HTML.card(.large, id: "large", body: large))</aside></div>
            """
        return Page(title: NavigationItem.imports.title, current: .imports, body: body)
    }

    private static func upload(_ visit: Visit) throws -> Reply {
        var errors = FormErrors()
        let name = visit.form.given("app") ?? ""
        let app = try visit.apps().first { $0.name == name }
        if app == nil { errors.add("app", .unknownApp) }
        guard let file = visit.request.files.first(where: { $0.field == "file" }) else {
            errors.add("file", .noFile)
            return .refused(422, try page(visit, errors))
        }
        let table: TableFile
        do { table = try TableFile(file.bytes) } catch {
            return .refused(422, try page(visit, FormErrors("file", Phrase(same: "\(error)"))))
        }
        if table.rowCount == 0 { errors.add("file", .noRows) }
        guard let app, errors.isEmpty else { return .refused(422, try page(visit, errors)) }
        let entry = UploadedTables.Entry(
            id: Visit.newKey(), person: visit.session.person, app: app.name,
            liftsQuarantine: visit.form.isOn("lift"), fileName: String(file.name.prefix(200)), table: table,
            at: visit.now)
        visit.uploads.add(entry)
        return .redirect("/imports/map/\(entry.id)")
    }
}

/// The rows that an import rejected.
enum RejectedRows {
    private static let maxShown = 10
    /// The columns of the download that precede those of the table.
    static let addedColumns = ["line", "reason"]

    /// The first rejected rows of a job, and the link to all of them.
    static func card(of job: JobView, _ visit: Visit) -> HTML {
        guard let count = job.figure("rejected"), count > 0 else { return .empty }
        let rows = reasons(of: job).prefix(maxShown).map { row -> [HTML] in
            ["\(number: row.line)", HTML.inEnglish(row.reason)]
        }
        let table: HTML? = rows.isEmpty ? nil : HTML.table([.init(.line), .init(.reason)], Array(rows))
        let path: ConsolePath = "/imports/\(job.id)/rejected"
        let link =
            visit.isPermitted(ImportSubscribers.self) && job.endedAt != nil
            ? HTML.link(.download(count), path, classes: "button-small") : .empty
        return HTML.card(
            .rejected, id: "rejected", note: "\(Phrase.rejectedNote)", table: table,
            foot: "<div class=\"row\">\(link)</div>")
    }

    private static func reasons(of job: JobView) -> [(line: Int, reason: String)] {
        guard case .array(let items)? = job.result?.value["rejects"] else { return [] }
        return items.compactMap { item in
            guard case .integer(let line)? = item["line"], case .string(let reason)? = item["reason"] else {
                return nil
            }
            return (Int(line), reason)
        }
    }

    /// Returns all rejected rows with their cells while the table is in memory, and otherwise the first rows
    /// that the job has kept, without cells.
    static func download(_ visit: Visit) throws -> Reply {
        let job = try visit.carryOut(ShowJob(try visit.number("job")))
        guard job.isImport else { throw Refusal.notFound }
        var csv = CSVWriter()
        if let entry = visit.uploads.entry(
            ofJob: job.id, of: visit.session.person, at: visit.now)
        {
            let cells = entry.table.rows(inLines: Set(entry.rejected.map(\.line)))
            csv.appendRow(addedColumns + entry.table.columns)
            for row in entry.rejected {
                csv.appendRow(["\(row.line)", "\(row.fault)"] + (cells[row.line] ?? []))
            }
        } else {
            csv.appendRow(addedColumns)
            for row in reasons(of: job) { csv.appendRow(["\(row.line)", row.reason]) }
        }
        return .file(csv.bytes, type: "text/csv; charset=utf-8", name: "rejected-\(job.id).csv")
    }
}

extension Phrase {
    fileprivate static let noApp = Phrase("There is no app yet", "Es gibt noch keine App")
    fileprivate static let noAppText = Phrase(
        "Subscribers belong to an app. Create the app first.",
        "Abonnenten gehören zu einer App. Legen Sie zuerst die App an.")
    fileprivate static let apps = Phrase("Apps", "Apps")
    fileprivate static let file = Phrase("CSV file", "CSV-Datei")
    fileprivate static func fileHint(_ bytes: Int) -> Phrase {
        let size = Formats.bytes(bytes)
        return Phrase(
            "At most \(size). The first line contains the names of the columns.",
            "Höchstens \(size). Die erste Zeile enthält die Namen der Spalten.")
    }
    fileprivate static let lift = Phrase(
        "Release subscribers of the file from quarantine",
        "Abonnenten der Datei aus der Quarantäne freigeben")
    fileprivate static let liftHint = Phrase(
        "Only if the app's devices have registered with these tokens again. Opt-outs stay in any case.",
        "Nur wenn sich die Geräte mit diesen Token neu registriert haben. Abmeldungen bleiben immer.")
    fileprivate static let upload = Phrase("Upload", "Hochladen")
    fileprivate static let allJobs = Phrase("All jobs", "Alle Aufträge")
    fileprivate static let recent = Phrase("Recent imports", "Letzte Importe")
    fileprivate static let format = Phrase("The file", "Die Datei")
    fileprivate static let formatText = Phrase(
        """
        A table with one device per row, in UTF-8, with commas, semicolons or tabs between the columns. One \
        column contains the tokens. You choose the meaning of each column on the next page; nothing is \
        stored before that.
        """,
        """
        Eine Tabelle mit einem Gerät je Zeile, in UTF-8, mit Kommas, Semikolons oder Tabulatoren zwischen \
        den Spalten. Eine Spalte enthält die Token. Die Bedeutung jeder Spalte wählen Sie auf der nächsten \
        Seite; vorher wird nichts gespeichert.
        """)
    fileprivate static let large = Phrase("Larger files", "Größere Dateien")
    fileprivate static let largeText = Phrase(
        "Split the file, or have an operator run this command on the server:",
        "Teilen Sie die Datei, oder lassen Sie den Betrieb diesen Befehl auf dem Server ausführen:")
    fileprivate static let unknownApp = Phrase("Choose an app.", "Wählen Sie eine App.")
    fileprivate static let noFile = Phrase("Choose a file.", "Wählen Sie eine Datei.")
    fileprivate static let noRows = Phrase(
        "The file has no row after the names of the columns.",
        "Die Datei hat keine Zeile nach den Spaltennamen.")
    fileprivate static let line = Phrase("Line", "Zeile")
    fileprivate static let reason = Phrase("Reason", "Grund")
    fileprivate static let rejected = Phrase("Rejected rows", "Abgelehnte Zeilen")
    fileprivate static let rejectedNote = Phrase(
        "All other rows are stored. Correct these rows, and import them again.",
        "Alle anderen Zeilen sind gespeichert. Korrigieren und importieren Sie diese Zeilen erneut.")
    fileprivate static func download(_ count: Int) -> Phrase {
        .counted(
            count, one: Phrase("Download 1 rejected row", "1 abgelehnte Zeile herunterladen")
        ) { Phrase("Download \($0) rejected rows", "\($0) abgelehnte Zeilen herunterladen") }
    }
}
