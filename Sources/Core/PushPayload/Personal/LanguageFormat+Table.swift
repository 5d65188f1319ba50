extension LanguageFormat {
    /// Unicode CLDR 46, for the Gregorian calendar with ASCII digits. A row contains tags, group mark,
    /// decimal mark, minus sign, the minimum number of digits of a number with groups, and the number of
    /// digits in groups before the last; then the patterns of short, medium and long dates; then the short
    /// and full names of months, in the form used next to a day. The row of a region that uses other formats
    /// comes after the row of its language. If the region's row has no month names, those of the language
    /// apply.
    static let table = """
        ar|,|.|\u{200E}-|4|3
        d\u{200F}/M\u{200F}/y|dd\u{200F}/MM\u{200F}/y|d MMMM\u{60C} y
        يناير|فبراير|مارس|أبريل|مايو|يونيو|يوليو|أغسطس|سبتمبر|أكتوبر|نوفمبر|ديسمبر
        يناير|فبراير|مارس|أبريل|مايو|يونيو|يوليو|أغسطس|سبتمبر|أكتوبر|نوفمبر|ديسمبر

        bg|\u{A0}|,|-|5|3
        d.MM.yy\u{202F}г.|d.MM.y\u{202F}г.|d MMMM y\u{202F}г.
        яну|фев|март|апр|май|юни|юли|авг|сеп|окт|ное|дек
        януари|февруари|март|април|май|юни|юли|август|септември|октомври|ноември|декември

        bn|,|.|-|4|2
        d/M/yy|d MMM, y|d MMMM, y
        জানু|ফেব|মার্চ|এপ্রি|মে|জুন|জুল|আগ|সেপ|অক্টো|নভে|ডিসে
        জানুয়ারী|ফেব্রুয়ারী|মার্চ|এপ্রিল|মে|জুন|জুলাই|আগস্ট|সেপ্টেম্বর|অক্টোবর|নভেম্বর|ডিসেম্বর

        ca|.|,|-|4|3
        d/M/yy|d MMM y|d MMMM 'del' y
        gen.|febr.|març|abr.|maig|juny|jul.|ag.|set.|oct.|nov.|des.
        de gener|de febrer|de març|d\u{2019}abril|de maig|de juny|de juliol|d\u{2019}agost|de setembre|\
        d\u{2019}octubre|de novembre|de desembre

        cs|\u{A0}|,|-|4|3
        dd.MM.y|d.\u{202F}M.\u{202F}y|d. MMMM y
        led|úno|bře|dub|kvě|čvn|čvc|srp|zář|říj|lis|pro
        ledna|února|března|dubna|května|června|července|srpna|září|října|listopadu|prosince

        da|.|,|-|4|3
        dd.MM.y|d. MMM y|d. MMMM y
        jan.|feb.|mar.|apr.|maj|jun.|jul.|aug.|sep.|okt.|nov.|dec.
        januar|februar|marts|april|maj|juni|juli|august|september|oktober|november|december

        de|.|,|-|4|3
        dd.MM.yy|dd.MM.y|d. MMMM y
        Jan.|Feb.|März|Apr.|Mai|Juni|Juli|Aug.|Sept.|Okt.|Nov.|Dez.
        Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember

        de-AT|.|,|-|4|3
        dd.MM.yy|dd.MM.y|d. MMMM y
        Jän.|Feb.|März|Apr.|Mai|Juni|Juli|Aug.|Sep.|Okt.|Nov.|Dez.
        Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember

        de-CH de-LI|\u{2019}|.|-|4|3
        dd.MM.yy|dd.MM.y|d. MMMM y

        el|.|,|-|4|3
        d/M/yy|d MMM y|d MMMM y
        Ιαν|Φεβ|Μαρ|Απρ|Μαΐ|Ιουν|Ιουλ|Αυγ|Σεπ|Οκτ|Νοε|Δεκ
        Ιανουαρίου|Φεβρουαρίου|Μαρτίου|Απριλίου|Μαΐου|Ιουνίου|Ιουλίου|Αυγούστου|Σεπτεμβρίου|Οκτωβρίου|\
        Νοεμβρίου|Δεκεμβρίου

        en|,|.|-|4|3
        M/d/yy|MMM d, y|MMMM d, y
        Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec
        January|February|March|April|May|June|July|August|September|October|November|December

        en-AU en-HK|,|.|-|4|3
        d/M/y|d MMM y|d MMMM y

        en-CA|,|.|-|4|3
        y-MM-dd|MMM d, y|MMMM d, y

        en-GB en-IE en-NZ|,|.|-|4|3
        dd/MM/y|d MMM y|d MMMM y

        en-IN|,|.|-|4|2
        dd/MM/yy|d MMM y|d MMMM y

        en-SG|,|.|-|4|3
        d/M/yy|d MMM y|d MMMM y

        en-ZA|\u{A0}|,|-|4|3
        y/MM/dd|dd MMM y|dd MMMM y

        es|.|,|-|5|3
        d/M/yy|d MMM y|d 'de' MMMM 'de' y
        ene|feb|mar|abr|may|jun|jul|ago|sept|oct|nov|dic
        enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre

        es-419 es-DO es-NI es-SV|,|.|-|4|3
        d/M/yy|d MMM y|d 'de' MMMM 'de' y

        es-AR es-CR es-EC|.|,|-|4|3
        d/M/yy|d MMM y|d 'de' MMMM 'de' y

        es-BO|.|,|-|4|3
        d/M/yy|d MMM 'de' y|d 'de' MMMM 'de' y

        es-CL|.|,|-|4|3
        dd-MM-yy|dd-MM-y|d 'de' MMMM 'de' y
        ene.|feb.|mar.|abr.|may.|jun.|jul.|ago.|sep.|oct.|nov.|dic.
        enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre

        es-CO|.|,|-|4|3
        d/MM/yy|d/MM/y|d 'de' MMMM 'de' y
        ene.|feb.|mar.|abr.|may.|jun.|jul.|ago.|sep.|oct.|nov.|dic.
        enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre

        es-GT|,|.|-|4|3
        d/MM/yy|d/MM/y|d 'de' MMMM 'de' y

        es-HN|,|.|-|4|3
        d/M/yy|d MMM y|dd 'de' MMMM 'de' y

        es-MX|,|.|-|4|3
        dd/MM/yy|d MMM y|d 'de' MMMM 'de' y
        ene|feb|mar|abr|may|jun|jul|ago|sep|oct|nov|dic
        enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre

        es-PA es-PR|,|.|-|4|3
        MM/dd/yy|MM/dd/y|d 'de' MMMM 'de' y

        es-PE|,|.|-|4|3
        d/MM/yy|d MMM y|d 'de' MMMM 'de' y
        ene.|feb.|mar.|abr.|may.|jun.|jul.|ago.|set.|oct.|nov.|dic.
        enero|febrero|marzo|abril|mayo|junio|julio|agosto|setiembre|octubre|noviembre|diciembre

        es-PY es-VE|.|,|-|4|3
        d/M/yy|d MMM y|d 'de' MMMM 'de' y
        ene.|feb.|mar.|abr.|may.|jun.|jul.|ago.|sept.|oct.|nov.|dic.
        enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre

        es-US|,|.|-|4|3
        M/d/yy|MMM d, y|d 'de' MMMM 'de' y

        es-UY|.|,|-|4|3
        d/M/yy|d MMM y|d 'de' MMMM 'de' y
        ene.|feb.|mar.|abr.|may.|jun.|jul.|ago.|set.|oct.|nov.|dic.
        enero|febrero|marzo|abril|mayo|junio|julio|agosto|setiembre|octubre|noviembre|diciembre

        et|\u{A0}|,|\u{2212}|5|3
        dd.MM.yy|d. MMM y|d. MMMM y
        jaan|veebr|märts|apr|mai|juuni|juuli|aug|sept|okt|nov|dets
        jaanuar|veebruar|märts|aprill|mai|juuni|juuli|august|september|oktoober|november|detsember

        fi|\u{A0}|,|\u{2212}|4|3
        d.M.y|d.M.y|d. MMMM y
        tammi|helmi|maalis|huhti|touko|kesä|heinä|elo|syys|loka|marras|joulu
        tammikuuta|helmikuuta|maaliskuuta|huhtikuuta|toukokuuta|kesäkuuta|heinäkuuta|elokuuta|syyskuuta|\
        lokakuuta|marraskuuta|joulukuuta

        fil tl|,|.|-|4|3
        M/d/yy|MMM d, y|MMMM d, y
        Ene|Peb|Mar|Abr|May|Hun|Hul|Ago|Set|Okt|Nob|Dis
        Enero|Pebrero|Marso|Abril|Mayo|Hunyo|Hulyo|Agosto|Setyembre|Oktubre|Nobyembre|Disyembre

        fr|\u{202F}|,|-|4|3
        dd/MM/y|d MMM y|d MMMM y
        janv.|févr.|mars|avr.|mai|juin|juil.|août|sept.|oct.|nov.|déc.
        janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre

        fr-BE|\u{202F}|,|-|4|3
        d/MM/yy|d MMM y|d MMMM y

        fr-CA|\u{A0}|,|-|4|3
        y-MM-dd|d MMM y|d MMMM y
        janv.|févr.|mars|avr.|mai|juin|juill.|août|sept.|oct.|nov.|déc.
        janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre

        fr-CH|\u{202F}|,|-|4|3
        dd.MM.yy|d MMM y|d MMMM y

        fr-LU|.|,|-|4|3
        dd/MM/y|d MMM y|d MMMM y

        he iw|,|.|\u{200E}-|4|3
        d.M.y|d בMMM y|d בMMMM y
        ינו׳|פבר׳|מרץ|אפר׳|מאי|יוני|יולי|אוג׳|ספט׳|אוק׳|נוב׳|דצמ׳
        ינואר|פברואר|מרץ|אפריל|מאי|יוני|יולי|אוגוסט|ספטמבר|אוקטובר|נובמבר|דצמבר

        hi|,|.|-|4|2
        d/M/yy|d MMM y|d MMMM y
        जन॰|फ़र॰|मार्च|अप्रैल|मई|जून|जुल॰|अग॰|सित॰|अक्तू॰|नव॰|दिस॰
        जनवरी|फ़रवरी|मार्च|अप्रैल|मई|जून|जुलाई|अगस्त|सितंबर|अक्तूबर|नवंबर|दिसंबर

        hr|.|,|\u{2212}|4|3
        dd.MM.y.|dd.MM.y.|d. MMMM y.
        sij|velj|ožu|tra|svi|lip|srp|kol|ruj|lis|stu|pro
        siječnja|veljače|ožujka|travnja|svibnja|lipnja|srpnja|kolovoza|rujna|listopada|studenoga|prosinca

        hu|\u{A0}|,|-|5|3
        y. MM. dd.|y. MMM d.|y. MMMM d.
        jan.|febr.|márc.|ápr.|máj.|jún.|júl.|aug.|szept.|okt.|nov.|dec.
        január|február|március|április|május|június|július|augusztus|szeptember|október|november|december

        id in|.|,|-|4|3
        dd/MM/yy|d MMM y|d MMMM y
        Jan|Feb|Mar|Apr|Mei|Jun|Jul|Agu|Sep|Okt|Nov|Des
        Januari|Februari|Maret|April|Mei|Juni|Juli|Agustus|September|Oktober|November|Desember

        it|.|,|-|5|3
        dd/MM/yy|d MMM y|d MMMM y
        gen|feb|mar|apr|mag|giu|lug|ago|set|ott|nov|dic
        gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre

        it-CH|\u{2019}|.|-|5|3
        dd.MM.yy|d MMM y|d MMMM y

        ja|,|.|-|4|3
        y/MM/dd|y/MM/dd|y年M月d日
        1月|2月|3月|4月|5月|6月|7月|8月|9月|10月|11月|12月
        1月|2月|3月|4月|5月|6月|7月|8月|9月|10月|11月|12月

        ko|,|.|-|4|3
        y. M. d.|y. M. d.|y년 MMMM d일
        1월|2월|3월|4월|5월|6월|7월|8월|9월|10월|11월|12월
        1월|2월|3월|4월|5월|6월|7월|8월|9월|10월|11월|12월

        lt|\u{A0}|,|\u{2212}|4|3
        y-MM-dd|y-MM-dd|y m. MMMM d 'd'.
        saus.|vas.|kov.|bal.|geg.|birž.|liep.|rugp.|rugs.|spal.|lapkr.|gruod.
        sausio|vasario|kovo|balandžio|gegužės|birželio|liepos|rugpjūčio|rugsėjo|spalio|lapkričio|gruodžio

        lv|\u{A0}|,|-|5|3
        dd.MM.yy|y. 'gada' d. MMM|y. 'gada' d. MMMM
        janv.|febr.|marts|apr.|maijs|jūn.|jūl.|aug.|sept.|okt.|nov.|dec.
        janvāris|februāris|marts|aprīlis|maijs|jūnijs|jūlijs|augusts|septembris|oktobris|novembris|decembris

        ms|,|.|-|4|3
        d/MM/yy|d MMM y|d MMMM y
        Jan|Feb|Mac|Apr|Mei|Jun|Jul|Ogo|Sep|Okt|Nov|Dis
        Januari|Februari|Mac|April|Mei|Jun|Julai|Ogos|September|Oktober|November|Disember

        no nb nn|\u{A0}|,|\u{2212}|4|3
        dd.MM.y|d. MMM y|d. MMMM y
        jan.|feb.|mars|apr.|mai|juni|juli|aug.|sep.|okt.|nov.|des.
        januar|februar|mars|april|mai|juni|juli|august|september|oktober|november|desember

        nl|.|,|-|4|3
        dd-MM-y|d MMM y|d MMMM y
        jan|feb|mrt|apr|mei|jun|jul|aug|sep|okt|nov|dec
        januari|februari|maart|april|mei|juni|juli|augustus|september|oktober|november|december

        nl-BE|.|,|-|4|3
        d/MM/y|d MMM y|d MMMM y

        pl|\u{A0}|,|-|5|3
        d.MM.y|d MMM y|d MMMM y
        sty|lut|mar|kwi|maj|cze|lip|sie|wrz|paź|lis|gru
        stycznia|lutego|marca|kwietnia|maja|czerwca|lipca|sierpnia|września|października|listopada|grudnia

        pt|.|,|-|4|3
        dd/MM/y|d 'de' MMM 'de' y|d 'de' MMMM 'de' y
        jan.|fev.|mar.|abr.|mai.|jun.|jul.|ago.|set.|out.|nov.|dez.
        janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro

        pt-PT|\u{A0}|,|-|5|3
        dd/MM/yy|dd/MM/y|d 'de' MMMM 'de' y

        ro|.|,|-|4|3
        dd.MM.y|d MMM y|d MMMM y
        ian.|feb.|mar.|apr.|mai|iun.|iul.|aug.|sept.|oct.|nov.|dec.
        ianuarie|februarie|martie|aprilie|mai|iunie|iulie|august|septembrie|octombrie|noiembrie|decembrie

        ru|\u{A0}|,|-|4|3
        dd.MM.y|d MMM y\u{202F}г.|d MMMM y\u{202F}г.
        янв.|февр.|марта|апр.|мая|июня|июля|авг.|сент.|окт.|нояб.|дек.
        января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря

        sk|\u{A0}|,|-|4|3
        d.M.y|d.\u{202F}M.\u{202F}y|d. MMMM y
        jan|feb|mar|apr|máj|jún|júl|aug|sep|okt|nov|dec
        januára|februára|marca|apríla|mája|júna|júla|augusta|septembra|októbra|novembra|decembra

        sl|.|,|\u{2212}|5|3
        d. M. yy|d. MMM y|d. MMMM y
        jan.|feb.|mar.|apr.|maj|jun.|jul.|avg.|sep.|okt.|nov.|dec.
        januar|februar|marec|april|maj|junij|julij|avgust|september|oktober|november|december

        sr|.|,|-|4|3
        d. M. y.|d. M. y.|d. MMMM y.
        јан|феб|мар|апр|мај|јун|јул|авг|сеп|окт|нов|дец
        јануар|фебруар|март|април|мај|јун|јул|август|септембар|октобар|новембар|децембар

        sr-Latn|.|,|-|4|3
        d. M. y.|d. M. y.|d. MMMM y.
        jan|feb|mar|apr|maj|jun|jul|avg|sep|okt|nov|dec
        januar|februar|mart|april|maj|jun|jul|avgust|septembar|oktobar|novembar|decembar

        sv|\u{A0}|,|\u{2212}|4|3
        y-MM-dd|d MMM y|d MMMM y
        jan.|feb.|mars|apr.|maj|juni|juli|aug.|sep.|okt.|nov.|dec.
        januari|februari|mars|april|maj|juni|juli|augusti|september|oktober|november|december

        th|,|.|-|4|3
        d/M/yy|d MMM y|d MMMM ค.ศ. y
        ม.ค.|ก.พ.|มี.ค.|เม.ย.|พ.ค.|มิ.ย.|ก.ค.|ส.ค.|ก.ย.|ต.ค.|พ.ย.|ธ.ค.
        มกราคม|กุมภาพันธ์|มีนาคม|เมษายน|พฤษภาคม|มิถุนายน|กรกฎาคม|สิงหาคม|กันยายน|ตุลาคม|พฤศจิกายน|ธันวาคม

        tr|.|,|-|4|3
        d.MM.y|d MMM y|d MMMM y
        Oca|Şub|Mar|Nis|May|Haz|Tem|Ağu|Eyl|Eki|Kas|Ara
        Ocak|Şubat|Mart|Nisan|Mayıs|Haziran|Temmuz|Ağustos|Eylül|Ekim|Kasım|Aralık

        uk|\u{A0}|,|-|4|3
        dd.MM.yy|d MMM y\u{202F}р.|d MMMM y\u{202F}р.
        січ.|лют.|бер.|квіт.|трав.|черв.|лип.|серп.|вер.|жовт.|лист.|груд.
        січня|лютого|березня|квітня|травня|червня|липня|серпня|вересня|жовтня|листопада|грудня

        vi|.|,|-|4|3
        d/M/yy|'ngày' d MMM, y|'ngày' d MMMM, y
        thg 1|thg 2|thg 3|thg 4|thg 5|thg 6|thg 7|thg 8|thg 9|thg 10|thg 11|thg 12
        tháng 1|tháng 2|tháng 3|tháng 4|tháng 5|tháng 6|tháng 7|tháng 8|tháng 9|tháng 10|tháng 11|tháng 12

        zh|,|.|-|4|3
        y/M/d|y年M月d日|y年M月d日
        1月|2月|3月|4月|5月|6月|7月|8月|9月|10月|11月|12月
        一月|二月|三月|四月|五月|六月|七月|八月|九月|十月|十一月|十二月

        zh-Hant zh-TW|,|.|-|4|3
        y/M/d|y年M月d日|y年M月d日
        1月|2月|3月|4月|5月|6月|7月|8月|9月|10月|11月|12月
        1月|2月|3月|4月|5月|6月|7月|8月|9月|10月|11月|12月

        zh-HK zh-Hant-HK|,|.|-|4|3
        d/M/y|y年M月d日|y年M月d日
        1月|2月|3月|4月|5月|6月|7月|8月|9月|10月|11月|12月
        1月|2月|3月|4月|5月|6月|7月|8月|9月|10月|11月|12月

        zh-SG|,|.|-|4|3
        dd/MM/yy|y年M月d日|y年M月d日
        """
}
