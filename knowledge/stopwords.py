"""Function words per language: what the keyword search leaves out, and what tells a question's language.

Our own short lists of articles, pronouns, prepositions, conjunctions, auxiliaries and question words. They stay short on
purpose: BM25's IDF already makes frequent words cheap, and a word wrongly left out can't be searched for at all.
"""

from __future__ import annotations

_LISTS = {
    "en": """
        a about after again all also am an and any are as at be because been before being between both but by can could
        did do does doing done during each for from further get gets got had has have having he her here hers him his how
        i if in into is it its just let like may me might more most must my no nor not of off on once only or other our
        ours out over own per please same shall she should so some such tell than that the their theirs them then there
        these they this those through to too under until up upon us very was we were what when where which while who
        whom whose why will with would you your yours am's it's i'm i've i'd i'll don't doesn't didn't can't cannot won't
        isn't aren't wasn't weren't haven't hasn't hadn't couldn't shouldn't wouldn't you're you've you'll you'd we're
        we've we'll we'd they're they've they'll he's she's that's there's what's who's where's how's let's im ive dont
        doesnt didnt cant wont isnt whats
    """,
    "de": """
        aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist da damit dann das dass dein
        deine dem den denn der des dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem
        einen einer eines er es etwas euch euer für gegen gibt habe haben hat hatte hätte hier ich ihm ihn ihnen ihr ihre
        ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes kann kannst können könnte mein meine meinem meinen
        meiner mich mir mit muss müssen nach nicht noch nur ob oder ohne sein seine seinem seinen seiner sich sie sind so
        soll sollte über um und uns unser unsere unter viel viele vom von vor wann war waren warum was weil welche welchem
        welchen welcher welches wenn wer werde werden wie wieder will wir wird wo wurde würde zu zum zur zwischen
    """,
    "fr": """
        à ai aie après au aucun aussi autre aux avant avec avez avoir avons c ce ceci cela ces cet cette ceux chez comme
        comment d dans de des donc dois doit du elle elles en encore entre est et était être eu fait faut fois ici il ils
        j je jusqu l la le les leur leurs lors lorsque lui m ma mais me même mes moi mon n ne ni nos notre nous on ont ou
        où par pas peut peuvent peux plus pour pourquoi puis puisque qu quand que quel quelle quelles quels qui quoi s sa
        sans se sera ses si son sont sous suis sur t ta te tes toi ton tous tout toute toutes très tu un une vers vos
        votre vous y
    """,
    "es": """
        a al algo alguna algunas alguno algunos ante antes aquel aquella como cómo con contra cual cuál cuales cuando
        cuándo cuánto cuántos de debe debo del desde después dónde donde dos durante e el él ella ellas ellos en entre era
        es esa ese eso esta está estaba estamos están estar este esto estos estoy fue ha han hasta hay he la las le les lo
        los más me mi mí mis mucho muy nada ni no nos nosotros nuestra nuestro o otra otro otros para pero poco por porque
        puede pueden puedo que qué quien quién se sea ser será si sí sin sobre son soy su sus también tanto te tengo tiene
        tienen todo todos tu tú tus un una uno unos usted ustedes y ya yo
    """,
    "it": """
        a ad agli ai al alla alle allo anche ancora avere c che chi ci come con cosa così cui da dagli dai dal dalla dalle
        dallo degli dei del dell della delle dello dentro deve devo di dopo dove due e è ed era essere fa fino fra già gli
        ha hai hanno ho i il in io l la le lei li lo loro lui ma me mi mia mie miei mio molto ne nei nel nella nelle nello
        no noi non nostra nostro o ogni per perché più poi posso possono prima può qual quale quali quando quanti quanto
        quella quelle quelli quello questa queste questi questo qui sa se senza si sia sono sta su sua sue sugli sui sul
        sulla sulle sullo suo suoi tra tu tua tuo tutti tutto un una uno vi voi vostra vostro
    """,
    "pt": """
        a à ao aos aquela aquele as às até com como da das de dela dele deve do dos e é ela elas ele eles em entre era
        essa esse esta está estão este eu foi há isso isto já lhe mais mas me mesmo meu meus minha minhas muito na não nas
        nem no nos nós nossa nosso num numa o onde os ou para pela pelas pelo pelos pode podem por porque posso qual
        quais quando quanto quantos que quem se sem ser será seu seus só são sobre sua suas também te tem têm tenho ter
        teu tu tua um uma você vocês
    """,
    "nl": """
        aan al alle als altijd ben bij binnen daar dan dat de deze die dit doe doen door dus een en er ga geen haar had
        hebben hebt heb heeft hem het hier hij hoe hun iets ik in is ja je jij jouw jullie kan kon kunnen kunt maar me
        meer met mij mijn moet moeten na naar niet niets nog nu of om omdat onder ons onze ook op over te tegen toch toen
        tot tussen u uit uw van veel voor waar waarom wanneer want waren was wat we welk welke werd wie wij wil worden
        wordt zal ze zich zij zijn zo zonder zou
    """,
    "sv": """
        alla allt att av blev bli blir då de dem den denna deras dess dessa det detta dig din ditt du där efter ej eller
        en ett från för får ha hade han har hans henne hon hur här i icke inom inte jag ju kan kunde man med mellan men
        mig min mina mitt mot mycket ni nu när någon något några och om oss på sedan sig sin sina sitt ska skulle som så
        sådan till under upp ut utan vad var varför varje vara vem vi vid vilka vilken vilket är över
    """,
    "da": """
        af alle alt at blev blive bliver da de dem den denne der deres det dette dig din disse dog du efter eller en end
        er et for fra få får ham han hans har havde hende hendes her hos hun hvad hvem hvilke hvilken hvis hvor hvordan
        hvorfor hvornår i ikke ind jeg jer kan kunne man mange med meget men mig min mine mit mod må når ned nogen noget
        nogle nu og også om op os over på sig sin sit skal skulle som sådan til ud under var ved vi vil ville være
    """,
    "no": """
        alle at av ble bli blir da de dem den denne der deres det dette deg din ditt du eller en enn er et etter for fra
        få får ha hadde han hans har henne her hos hun hva hvem hvilke hvilken hvis hvor hvordan hvorfor når i ikke inn
        jeg kan kunne man mange med meg mellom men min mine mitt mot mye må noe noen nå og også om opp oss over på seg
        selv sin sitt skal skulle slik som så til under ut uten var ved vi vil ville være vært
    """,
    "fi": """
        ei eikä ellei en eivät emme että hän he hänen hänet heidän ja jo joka jolla jonka jos jotka jota josta kai kanssa
        keitä ketkä kuin kuinka kuka kun ja me meidän mihin mikä miksi milloin minä minulla minun missä mitkä mitä mistä
        miten mutta myös ne ne niiden niin nämä näiden oli olla olen olet olemme on onko ollut ovat sekä se sen siellä
        siitä sinä sinun siihen sitä tai te teidän tämä tämän tässä tästä tuo vai vain vaikka voi voiko voin voinko
    """,
    "pl": """
        aby albo ale ani bez bo by być był była było były będzie będą ci co czy dla do gdy gdzie go i ich ile im ja jak
        jaka jaki jakie jako je jego jej jest jestem jeśli jeżeli już każdy kiedy kto która które który którzy lub ma mam
        może można mi mnie mój moja moje mogę my na nad nam nas nie nich niż o od on ona one oni oraz po pod przed przez
        przy są się sobie swój ta tak także tam te tego tej ten to twój ty tych tylko tym u w we wszystko z za ze że żeby
    """,
    "cs": """
        aby ale ani ano bez bude být byl byla bylo byly co či do i já jak jako jaká jaké jaký je jeho jej její jejich jen
        jestli ještě jsem jsi jsme jsou jste k kam kde kdo kdy když která které který kteří ke ma má mám máte mě mezi mi
        může mohu můj moje my na nad nám nás náš ne nebo než není o od on ona oni pod podle pokud po pouze pro proč proto
        před přes při s se si svůj ta tak také tam tato te ten tento to toto tu ty tyto u už v ve vám vás váš však vy z za
        ze že
    """,
    "ro": """
        acea aceasta această aceste acest acestea acolo al ale am ar are as asta ați au avea ca când care cât câte ce cea
        cel cele cei cine cu cum că da dacă dar de decât deja din dintre după e ea ei el ele era este eu fără fi fie fiecare
        fost în îl îmi îi între la le lor lui mai mea mei meu mi mult ne nici noastră nostru noi nu o or pe pentru poate pot
        prin sa să sau se si și sunt suntem sub te toate tot un una unde unei unele unor unui va vă vom voi vor
    """,
    "hu": """
        a ahhoz aki akkor ami amely az azok azon azonban azt be csak de e egy egyik el én ennek és ez ezek ezen ezt fel ha
        hány hanem hogy hogyan hol ilyen is itt ki kell lehet lesz meg melyik mely mert mi mely mikor milyen mint mit még
        most már nagyon ne nem nincs ő ők össze s sem sok szerint te ti tudok után vagy vagyok van vannak volt által ő
    """,
    "tr": """
        acaba ama ancak artık az bana bazı ben beni benim bir biri biz bizim bu buna bunu bunun burada çok çünkü da daha
        de defa değil diye en gibi göre hangi hem hep her hiç için ile ise kadar kaç ki kim kime mi mı mu mü nasıl ne neden
        nerede nereye niçin o olan olarak olur ona onu onun onlar sen siz sizin şey şu tüm var ve veya ya yani yok
    """,
    "bg": """
        а аз ако ал без беше би бил била били било бъде в вас ваш във вече ви ги го да дали до докато дни е за заради защо
        и или им има имам имат их й как каква какви какво какъв като ко кога когато кого което които кой който колко която
        къде ли ме между ми мога може можем мой му на над най нас не него нея ни ние но нали няма от по под поне преди през
        при с са сам само се си след сме според съм със така тази там те тези ти то това този той трябва ту тя чл че чрез
        ще я
    """,
    "ru": """
        а без более больше бы был была были было быть в вам вас ваш вдоль весь во вот все всего всех вы где да даже два
        для до другой его ее её если есть еще ещё же за здесь и из или им их к как какая какие какой ко когда кого кто ли
        либо мне меня мои мой моя мы на над надо нам нас наш не него нее ней нет ни них но ну о об один он она они оно от
        по под после потом потому почему при про раз с сам свой себе себя со так также такой там тебя тем то того тоже
        только том ты у уже хотя чего чем что чтобы чьи эта эти это этого этой этот я
    """,
    "uk": """
        а або але без би був була було бути в вам вас ваш від він вона вони воно все всі ви де для до є ж за з зі і із
        або її їх й його коли кого хто мене мені мій моя ми на над нам нас не нема ні них але про при по під після раз
        у та так також такий там те ти то того тільки у цей це ця ці час чи що щоб як яка який які якщо я
    """,
    "sr": """
        а ако али без би био била било бити в вас већ ви да до док за због и из или им има их је јер још када како као
        код које који која колико ли ме мене ми мој може могу на над нас наш не него није о од он она они оно по под после
        при са сам само се си смо су та тај тако те ти то у што шта ће
    """,
}

#: Language -> its function words, casefolded.
FUNCTION_WORDS = {language: frozenset(words.split()) for language, words in _LISTS.items()}

#: What the keyword search leaves out. The search asks ``languages.stop_words``, which drops those without a stemmer.
STOP_WORDS = FUNCTION_WORDS
